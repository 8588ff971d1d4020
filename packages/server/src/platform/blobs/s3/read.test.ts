import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { S3Client } from './client.ts';
import { readObject } from './read.ts';

const clientOf = (bytes: PassThrough) => ({ get: async () => ({ bytes, size: 5 }) }) as unknown as S3Client;

test('an object that is given up before its first byte keeps no connection to the store', async () => {
  const bytes = new PassThrough();
  const stream = await readObject(clientOf(bytes), 'key');
  stream.destroy();
  await once(stream, 'close');
  assert.ok(bytes.destroyed);
});

test('an object that is read to its end is whole', async () => {
  const bytes = new PassThrough();
  bytes.end('bytes');
  assert.equal((await buffer(await readObject(clientOf(bytes), 'key'))).toString(), 'bytes');
});

const whole = Buffer.from('0123456789');

/** Answers that a store, or a proxy before it, may give to a request for bytes from the fourth on. */
const wrong: Record<string, (response: ServerResponse) => void> = {
  'without their number': (response) => void response.writeHead(200).end(whole),
  'from the beginning': (response) =>
    void response.writeHead(200, { 'content-length': whole.length }).end(whole),
  'from elsewhere': (response) =>
    void response
      .writeHead(206, { 'content-range': 'bytes 4-7/10', 'content-length': 4 })
      .end(whole.subarray(4, 8)),
};

for (const [name, answer] of Object.entries(wrong))
  test(`bytes that a store returns ${name} are never used as the requested ones`, async (context) => {
    const client = await clientTo(context, answer);
    await assert.rejects(readObject(client, 'key', { start: 3, end: 7 }), { code: 'STORAGE_UNAVAILABLE' });
  });

test('a read uses no more than it asked for from a store that sends more', async (context) => {
  const client = await clientTo(context, (response) =>
    response.writeHead(200, { 'content-length': whole.length }).end(whole),
  );
  assert.equal(String(await buffer(await readObject(client, 'key', { start: 0, end: 4 }))), '0123');
  assert.equal(String(await buffer(await readObject(client, 'key'))), '0123456789');
});

async function clientTo(context: TestContext, answer: (response: ServerResponse) => void): Promise<S3Client> {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const endpoint = new URL(`http://127.0.0.1:${port}`);
  const address = {
    endpoint,
    publicEndpoint: endpoint,
    bucket: 'bucket',
    prefix: '',
    region: 'r',
    pathStyle: true,
  };
  const client = new S3Client(address, {
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    encryption: 'none',
    kmsKeyId: '',
  });
  context.after(() => {
    client.close();
    server.close();
  });
  return client;
}

test('a client that was closed asks a store that does not answer nothing more', async (context) => {
  let asked = 0;
  const client = await clientTo(context, () => {
    asked += 1;
    client.close();
  });
  await assert.rejects(client.list(''));
  await assert.rejects(client.list(''));
  assert.equal(asked, 1);
});
