import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { isPassing } from '@ploidy/client';
import { discover, refresh } from './authorization-server.ts';

test('a sign-in that cannot be renewed while the service is restarted or busy is one that can be soon', async () => {
  let status = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end('<html>'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoint = { token_endpoint: `${address}/token` } as Parameters<typeof refresh>[0];
  try {
    for (const [answered, passes] of [
      ...[429, 502, 503, 504].map((one) => [one, true] as const),
      ...[400, 404, 500].map((one) => [one, false] as const),
    ]) {
      status = answered;
      for (const asked of [() => discover(address), () => refresh(endpoint, 'token')])
        await assert.rejects(asked(), (error) => isPassing(error) === passes);
    }
  } finally {
    server.close();
  }
});
