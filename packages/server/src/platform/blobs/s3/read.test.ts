import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import type { S3Client } from './client.ts';
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
