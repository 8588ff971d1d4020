import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of a connection that may wait for those before them. Whoever sends further ahead reads no answers. */
const waitingMax = 256;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Begins a request of a connection when the one before it has been answered and the system has taken the answer (RFC 9112, §9.3.2: a client
 * may send ahead). Node would begin all at once: a few connections that send ahead and read nothing fill the memory with
 * their answers, and what stands behind an answer that ends the connection would be done unseen.
 * To be called after all others that put themselves before the listeners for requests, and before the server listens.
 */
export function beginOneByOne(server: Server): void {
  const listeners = server.listeners('request') as Listener[];
  const begin: Listener = (request, response) => {
    for (const listener of listeners) listener.call(server, request, response);
  };
  const lastOf = new WeakMap<Socket, ServerResponse>();
  const waitingOn = new WeakMap<Socket, number>();
  const beginAfter = (before: ServerResponse, request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const waiting = waitingOn.get(socket) ?? 0;
    if (waiting === waitingMax) {
      socket.destroy();
      return;
    }
    waitingOn.set(socket, waiting + 1);
    before.once('close', () => {
      waitingOn.set(socket, (waitingOn.get(socket) ?? 1) - 1);
      if (socket.writable) begin(request, response);
    });
  };
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const before = lastOf.get(request.socket);
    lastOf.set(request.socket, response);
    if (!before || before.writableFinished) begin(request, response);
    else beginAfter(before, request, response);
  });
}
