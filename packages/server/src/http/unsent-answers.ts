import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Lets `closeIdleConnections` spare connections on which something is still to be sent. Node takes one for idle as soon as its answer has ended, though
 * most of it may lie in memory because its client reads slowly: a stop would cut the answer off. Who never reads is ended with the
 * others when the stop has taken its time (PLOIDY_SHUTDOWN).
 */
export function spareUnsentAnswers(server: Server): void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    const unsent = [...open].filter(({ writableLength }) => writableLength > 0);
    for (const socket of unsent) socket.destroy = () => socket;
    closeIdle();
    for (const socket of unsent) Reflect.deleteProperty(socket, 'destroy');
  };
}
