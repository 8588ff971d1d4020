import type { Server } from 'node:http';
import { type Server as Acceptor, createServer, type ListenOptions, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Sockets of the port, where the system lets several share one (Linux: SO_REUSEPORT, socket(7)). */
const acceptorsMax = process.platform === 'linux' ? 128 : 1;

export interface ListenAddress {
  host: string;
  /** 0: a free one. */
  port: number;
  /** Connections that may wait to be taken; the system may allow fewer. */
  backlog: number;
}

/** A server that listens. */
export interface Listening {
  /** With the port. */
  address: string;
  /** Takes no more connections; resolves when those that the further sockets took are gone. */
  close(): Promise<void>;
}

/**
 * Lets a server listen on several sockets of one port. Node takes one connection of a socket in each turn of the event loop, and under load a
 * turn is long: a new connection, of a probe of health too, would wait for seconds behind others (docs/adr/0013).
 */
export async function listen(
  app: FastifyInstance,
  { host, port, backlog }: ListenAddress,
): Promise<Listening> {
  const reusePort = acceptorsMax > 1;
  // Whoever shares its port is not refused it by another that does so: two services would each get a part of the connections.
  if (reusePort && port !== 0) await closed(await listening(createServer(), { host, port }));
  const options = { host, port, backlog, reusePort };
  const address = await app.listen(options);
  const bound = app.server.address();
  const acceptors: Acceptor[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(acceptors.map(closed));
  };
  if (bound === null || typeof bound === 'string') return { address, close };
  try {
    while (acceptors.length < acceptorsMax - 1)
      acceptors.push(
        await listening(acceptorFor(app.server), {
          ...options,
          host: bound.address,
          port: bound.port,
        }),
      );
  } catch (error) {
    await close();
    throw error;
  }
  return { address, close };
}

/** Lets a server keep so many connections at most, through whichever socket they came. To be called before it listens. */
export function limitConnections(server: Server, connectionsMax: number): void {
  let open = 0;
  server.prependListener('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    if (open > connectionsMax) socket.destroy();
  });
}

/** With the options that `node:http` gives its own socket. */
function acceptorFor(server: Server): Acceptor {
  return createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket));
}

function listening(acceptor: Acceptor, options: ListenOptions): Promise<Acceptor> {
  return new Promise((resolve, reject) => {
    acceptor.once('error', reject);
    acceptor.listen(options, () => {
      acceptor.off('error', reject);
      resolve(acceptor);
    });
  });
}

function closed(acceptor: Acceptor): Promise<void> {
  return new Promise((resolve) => acceptor.close(() => resolve()));
}
