import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Route } from '../route.ts';

/** How long browsers remember what a preflight was told: 30 days (htsget, "CORS"); they cap it themselves. */
const maxAgeS = 2_592_000;

/**
 * Lets the page that asks read the answer (Fetch standard, "CORS protocol"). Its origin is echoed, as htsget asks for. Credentials that the
 * browser would add by itself, cookies, are not let in: there is no `Access-Control-Allow-Credentials`.
 */
export function shareWithOrigin(request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers;
  reply.header('vary', 'Origin');
  if (origin !== undefined) reply.header('access-control-allow-origin', origin);
}

/** Answers what browsers ask before a request that no plain form could make. Needs no credentials: it says only what may be asked. */
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

/** The answer to a preflight. */
function allow(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]): FastifyReply {
  const wanted = request.headers['access-control-request-headers'];
  if (typeof wanted === 'string') reply.header('access-control-allow-headers', wanted);
  return reply
    .code(204)
    .header('access-control-allow-methods', methods.join(', '))
    .header('access-control-max-age', maxAgeS);
}

/** Of an answer, what pages may read beside what every page may (Fetch standard, "CORS-safelisted response-header name"). */
const exposedHeaders = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');

/**
 * Lets pages of some origins (PLOIDY_ALLOWED_ORIGINS) read all answers, refusals too, and answers their preflights for every address. Cookies
 * are not let in here either.
 */
export function letOriginsIn(
  app: FastifyInstance,
  origins: readonly string[],
  methodsAt: (url: string) => string[],
): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('vary', 'Origin');
    if (!allowed.has(request.headers.origin ?? '')) return done();
    shareWithOrigin(request, reply);
    reply.header('access-control-expose-headers', exposedHeaders);
    const isPreflight =
      request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    const methods = isPreflight ? methodsAt(request.url) : [];
    if (methods.length > 0) allow(request, reply, methods).send();
    else done();
  });
}
