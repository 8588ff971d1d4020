import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Turn = (request: IncomingMessage, response: ServerResponse) => void;

/** A server with scripted answers that records its requests: for network faults. */
export interface ScriptedServer extends AsyncDisposable {
  address: string;
  seen: { method: string; url: string; headers: IncomingMessage['headers'] }[];
}

/** Starts a server: each request consumes the next turn; the last turn answers all further ones. */
export async function scriptedServer(...turns: Turn[]): Promise<ScriptedServer> {
  const seen: ScriptedServer['seen'] = [];
  const server = createServer((request, response) => {
    const turn = turns[Math.min(seen.length, turns.length - 1)];
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    turn?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    seen,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Ends the connection without an answer. */
export const breakOff: Turn = (request) => void request.socket.destroy();

/** Answers with JSON once the request has been read. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Turn {
  return (request, response) => {
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    });
  };
}
