import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Longest time that a body takes which is no file; at most 1 MiB by default, so 20 KiB/s are enough. */
const bodyMs = 60_000;
/** How long the rest of a body is still read, and thrown away, after its answer: so that the client sees the answer. */
const answeredMs = 5_000;

/**
 * Closes connections whose body drips in: uploads may take their day, but a small body, or the rest of one that has been
 * answered already, must not hold a connection of those that there are (PLOIDY_CONNECTIONS_MAX).
 */
export function closeSlowBodies(app: FastifyInstance, limitMs: number = bodyMs): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (isToCome(request.raw) && !request.routeOptions.config.streamsBody) limit(request.raw, limitMs);
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    if (isToCome(request.raw)) {
      limit(request.raw, Math.min(limitMs, answeredMs));
      request.raw.resume();
    }
    done();
  });
}

/**
 * To be called before an answer that may come before its request has been read. A connection that ended with it would be reset
 * under a client who still sends, and who would never see it.
 */
export function outliveAnswer({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (!isToCome(raw)) return;
  reply.removeHeader('connection');
  reply.raw.shouldKeepAlive = true;
}

/** Whether there is something left to read. */
function isToCome(request: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  return !request.complete && (length !== '0' || encoding !== undefined);
}

function limit(request: IncomingMessage, limitMs: number): void {
  const timer = setTimeout(() => request.complete || request.socket.destroy(), limitMs).unref();
  request.once('close', () => clearTimeout(timer));
}
