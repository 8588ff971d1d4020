import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of a connection that may wait for those before them. Whoever sends further ahead reads no answers. */
const waitingMax = 256;
/** Bytes that may come after the first of them: bodies lie in memory until their requests begin, and headers as well. */
const aheadMaxBytes = 1024 ** 2;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Begins a request of a connection when the one before it has been answered and the system has taken the answer (RFC 9112, §9.3.2: a client
 * may send ahead). Node would begin all at once: a few connections that send ahead and read nothing fill the memory with
 * their answers, and what stands behind an answer that ends the connection would be done unseen.
 * To be called after all others that put themselves before the listeners for requests or answer expectations, and before the server listens.
 */
export function beginOneByOne(server: Server): void {
  const lastOf = new WeakMap<Socket, ServerResponse>();
  /** Of each request that waits, in their order, how many bytes of its connection had come with it. */
  const waitingOn = new WeakMap<Socket, number[]>();
  const beginAfter = (before: ServerResponse, { socket }: IncomingMessage, begin: () => void): void => {
    const waiting = waitingOn.get(socket) ?? [];
    const [first = socket.bytesRead] = waiting;
    if (waiting.length === waitingMax || socket.bytesRead - first > aheadMaxBytes) {
      socket.destroy();
      return;
    }
    waitingOn.set(socket, waiting);
    waiting.push(socket.bytesRead);
    before.once('close', () => {
      waiting.shift();
      if (socket.writable) begin();
    });
  };
  // Node has an event of its own for requests that expect what it does not know.
  for (const event of ['request', 'checkExpectation']) {
    const listeners = server.listeners(event) as Listener[];
    if (listeners.length === 0) continue;
    server.removeAllListeners(event);
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      const begin = (): void => {
        for (const listener of listeners) listener.call(server, request, response);
      };
      const before = lastOf.get(request.socket);
      lastOf.set(request.socket, response);
      if (!before || before.writableFinished) begin();
      else beginAfter(before, request, begin);
    });
  }
}
