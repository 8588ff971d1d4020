import type { IncomingMessage } from 'node:http';
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

/** Whether pages of an origin may read all answers (PLOIDY_ALLOWED_ORIGINS). */
export type LetIn = (origin: string | undefined) => origin is string;

export function originsLetIn(origins: readonly string[]): LetIn {
  const allowed = new Set<string | undefined>(origins);
  return (origin): origin is string => allowed.has(origin);
}

/** Whether it is a browser's question before a request of a page (Fetch standard, "CORS-preflight request"). */
export function isPreflight({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** What lets a page of an origin that is let in read an answer, refusals too. */
export const headersFor = (origin: string): Record<string, string> => ({
  vary: 'Origin',
  'access-control-allow-origin': origin,
  'access-control-expose-headers': exposedHeaders,
});

/**
 * Lets pages of the origins that are let in read all answers, and answers their preflights for every address. Cookies are not let in here
 * either.
 */
export function letOriginsIn(
  app: FastifyInstance,
  isLetIn: LetIn,
  methodsAt: (url: string) => string[],
): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (!isLetIn(origin)) {
      reply.header('vary', 'Origin');
      return done();
    }
    reply.headers(headersFor(origin));
    const methods = isPreflight(request) ? methodsAt(request.url) : [];
    if (methods.length > 0) allow(request, reply, methods).send();
    else done();
  });
}
