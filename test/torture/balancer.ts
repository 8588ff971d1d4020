import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** Proxy before several processes, one after the other, as operators run it: it passes over one that refuses connections. */
export interface Balancer {
  address: string;
  /** Addresses of the processes. */
  upstreams: string[];
  close(): void;
}

export async function startBalancer(): Promise<Balancer> {
  let turn = 0;
  const server = createServer((incoming, response) => {
    turn += 1;
    const order = upstreams.map((_, at) => upstreams[(turn + at) % upstreams.length] ?? '');
    void forward(incoming, response, order);
  });
  const upstreams: string[] = [];
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, upstreams, close };
}

/** Sends a request to the first process that accepts a connection. Nothing is sent twice. */
async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  [first, ...others]: string[],
): Promise<void> {
  if (first === undefined) return void response.destroy();
  const { method, headers, url = '/' } = incoming;
  const outgoing = request(new URL(url, first), { method, headers, agent: false });
  let isConnected = false;
  outgoing.once('socket', (socket) => {
    socket.once('connect', () => {
      isConnected = true;
      // Either side may break off at any moment.
      pipeline(incoming, outgoing).catch(() => outgoing.destroy());
    });
  });
  outgoing.once('error', () => {
    if (isConnected) response.destroy();
    else void forward(incoming, response, others);
  });
  outgoing.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response).catch(() => response.destroy());
  });
  response.once('close', () => outgoing.destroy());
}
