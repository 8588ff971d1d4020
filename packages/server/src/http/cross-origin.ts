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
        const wanted = request.headers['access-control-request-headers'];
        if (typeof wanted === 'string') reply.header('access-control-allow-headers', wanted);
        return reply
          .code(204)
          .header('access-control-allow-methods', allowed.join(', '))
          .header('access-control-max-age', maxAgeS)
          .send();
      },
    });
  }
}
