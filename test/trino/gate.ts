import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Proxy before a cluster that counts its statements, and can refuse them, so that the local engine runs them. */
export interface Gate {
  port: number;
  /** Statements that passed, in order. */
  statements: string[];
  isOpen: boolean;
  close(): Promise<void>;
}

const refusal = { errorName: 'NOT_SUPPORTED', errorType: 'USER_ERROR', message: 'The gate is closed.' };

/** Opens a gate before the cluster on a port. */
export async function openGate(clusterPort: number): Promise<Gate> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    if (request.method === 'POST') {
      if (!gate.isOpen) return void response.end(JSON.stringify({ id: 'none', error: refusal }));
      gate.statements.push(body);
    }
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const forwarded = fetch(`http://127.0.0.1:${clusterPort}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(request.method === 'POST' && { body }),
    });
    const answer = await forwarded.catch(() => undefined);
    response.statusCode = answer?.status ?? 502;
    response.end(answer ? Buffer.from(await answer.arrayBuffer()) : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const gate: Gate = {
    port: (server.address() as AddressInfo).port,
    statements: [],
    isOpen: true,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return gate;
}
