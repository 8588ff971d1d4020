import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Time limit of a body that is no file: 20 KiB/s suffice for the default limit of 1 MiB. */
const bodyMs = 60_000;
/** Time for which the rest of a body is discarded after its response, so that the client reads the response. */
const answeredMs = 5_000;

/**
 * Closes connections whose body arrives too slowly. Uploads may take hours. A small body, or the rest of an answered one, must
 * not occupy one of PLOIDY_CONNECTIONS_MAX connections.
 */
export function closeSlowBodies(app: FastifyInstance, limitMs: number = bodyMs): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (isIncomplete(request.raw) && !request.routeOptions.config.streamsBody) limit(request.raw, limitMs);
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    if (isIncomplete(request.raw)) {
      limit(request.raw, Math.min(limitMs, answeredMs));
      request.raw.resume();
    }
    done();
  });
}

/**
 * Keeps the connection open behind a response that precedes the end of its request: closing it would reset the connection before
 * the client has read the response.
 */
export function keepUntilRead({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (!isIncomplete(raw)) return;
  reply.removeHeader('connection');
  reply.raw.shouldKeepAlive = true;
}

/** Reports whether a part of the body has not arrived. */
function isIncomplete(request: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  // A request within another one has no connection, and its body is there.
  return request.complete === false && (length !== '0' || encoding !== undefined);
}

function limit(request: IncomingMessage, limitMs: number): void {
  const timer = setTimeout(() => request.complete || request.socket.destroy(), limitMs).unref();
  request.once('close', () => clearTimeout(timer));
}
