import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** Fault of an answer: dropped, truncated, or replaced by another. */
export type Fault = 'lost' | 'stalled' | 'refused';

export interface FaultProxy extends AsyncDisposable {
  address: string;
}

/** Network between a client and a service, with faults: `faultOf` is called at each request, which arrives in any case. */
export async function faultProxy(
  target: string,
  faultOf: (request: IncomingMessage) => Fault | undefined,
): Promise<FaultProxy> {
  const proxy = createServer((request, response) => {
    const fault = faultOf(request);
    const { method, headers, url = '/' } = request;
    const forwarded = send(new URL(url, target), { method, headers }, (answer) => {
      void hand(answer, response, fault);
    });
    // Either side may break off at any moment: that is what is tried.
    pipeline(request, forwarded).catch(() => forwarded.destroy());
    response.on('close', () => forwarded.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve());
        proxy.closeAllConnections();
      }),
  };
}

async function hand(
  answer: IncomingMessage,
  response: ServerResponse,
  fault: Fault | undefined,
): Promise<void> {
  if (fault === undefined) {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    return pipeline(answer, response).catch(() => undefined);
  }
  if (fault === 'stalled') {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.once('data', (chunk: Buffer) => response.write(chunk.subarray(0, 10)));
    return;
  }
  await answer.resume().toArray();
  if (fault === 'lost') response.destroy();
  else response.writeHead(500).end(JSON.stringify({ error: 'No.', code: 'X', requestId: 'r' }));
}
