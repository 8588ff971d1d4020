import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Route } from '../../api/route.ts';

/** Lifetime of a preflight answer: 30 days (htsget, "CORS"); browsers cap it. */
const maxAgeS = 2_592_000;

/**
 * Lets a page of any origin read the answer (Fetch standard, "CORS protocol"). The origin is echoed, as htsget requires. Cookies are
 * not allowed: there is no `Access-Control-Allow-Credentials`.
 */
export function shareWithOrigin(request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers;
  reply.header('vary', 'Origin');
  if (origin !== undefined) reply.header('access-control-allow-origin', origin);
}

/** Answers preflights of the routes that pages of every origin may call. A preflight carries no credentials. */
export function answerPreflights(app: FastifyInstance, routes: readonly Route[]): void {
  const methods = new Map<string, string[]>();
  for (const { path, method, crossOrigin } of routes) {
    if (crossOrigin) methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  for (const [url, allowed] of methods) {
    app.route({
      method: 'OPTIONS',
      url,
      schema: { hide: true },
      handler: (request, reply) => {
        shareWithOrigin(request, reply);
        return allow(request, reply, allowed).send();
      },
    });
  }
}

/** Writes the answer to a preflight. */
function allow(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]): FastifyReply {
  const wanted = request.headers['access-control-request-headers'];
  if (typeof wanted === 'string') reply.header('access-control-allow-headers', wanted);
  return reply
    .code(204)
    .header('access-control-allow-methods', methods.join(', '))
    .header('access-control-max-age', maxAgeS);
}

/** Response headers that pages may read beside the safelisted ones (Fetch standard, "CORS-safelisted response-header name"). */
const exposedHeaders = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');

/** Reports whether pages of an origin may read all answers (PLOIDY_ALLOWED_ORIGINS). */
type IsAllowedOrigin = (origin: string | undefined) => origin is string;

/** Creates the check for a list of origins. */
export function allowedOrigins(origins: readonly string[]): IsAllowedOrigin {
  const allowed = new Set<string | undefined>(origins);
  return (origin): origin is string => allowed.has(origin);
}

/** Reports whether a request is a preflight (Fetch standard, "CORS-preflight request"). */
function isPreflight({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** Headers by which a page of an allowed origin may read an answer, also an error. */
const headersFor = (origin: string): Record<string, string> => ({
  vary: 'Origin',
  'access-control-allow-origin': origin,
  'access-control-expose-headers': exposedHeaders,
});

/** Lets pages of allowed origins read all answers, and answers their preflights for every address. Cookies are not allowed. */
export function enableCors(
  app: FastifyInstance,
  isAllowedOrigin: IsAllowedOrigin,
  methodsAt: (url: string) => string[],
): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (!isAllowedOrigin(origin)) {
      reply.header('vary', 'Origin');
      return done();
    }
    reply.headers(headersFor(origin));
    const methods = isPreflight(request) ? methodsAt(request.url) : [];
    if (methods.length > 0) allow(request, reply, methods).send();
    else done();
  });
}
