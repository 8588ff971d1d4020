import type { Server } from 'node:http';
import { type Server as Acceptor, type AddressInfo, createServer, isIP, type ListenOptions } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { hasCode } from '../error-code.ts';

/** Sockets of the port, where the system lets several share one (Linux: SO_REUSEPORT, socket(7)). */
const socketsOfPort = process.platform === 'linux' ? 128 : 1;

export interface ListenAddress {
  host: string;
  /** 0: a free one. */
  port: number;
  /** Connections that may wait to be taken, at all sockets together; the system may allow fewer. */
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
export async function listen(app: FastifyInstance, address: ListenAddress): Promise<Listening> {
  const { host, port, backlog } = address;
  // A name may stand for several addresses, each with a port of its own.
  const sockets = isIP(host) === 0 ? 1 : socketsOfPort;
  const options = { host, port, backlog: Math.ceil(backlog / sockets), reusePort: sockets > 1 };
  const others: Acceptor[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(others.map(closed));
  };
  try {
    if (options.reusePort && port !== 0) {
      const claim = await claimPort(host, port);
      if (claim) others.push(claim);
      // What shares the port with nobody finds out whether it is free.
      await closed(await listening(createServer(), { host, port }));
    }
    const url = await app.listen(options);
    const { port: bound } = app.server.address() as AddressInfo;
    for (let count = 1; count < sockets; count += 1)
      others.push(await listening(acceptorFor(app.server), { ...options, port: bound }));
    return { address: url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Whoever shares his port is not refused it by another who does so: of two services that start at once each would get a part of the
 * connections. So one needs a name that one process has while it lives (unix(7), abstract). Undefined where the system allows no such names.
 */
async function claimPort(host: string, port: number): Promise<Acceptor | undefined> {
  try {
    return await listening(createServer(), { path: `\0ploidy ${host} ${port}` });
  } catch (cause) {
    if (!hasCode(cause, 'EADDRINUSE')) return undefined;
    const message = `listen EADDRINUSE: address already in use ${host}:${port}`;
    throw Object.assign(new Error(message, { cause }), { code: 'EADDRINUSE' });
  }
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
