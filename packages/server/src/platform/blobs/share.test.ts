import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scratchLifeMs } from './scratch.ts';
import { onS3, testOnStores } from './stores.fixture.ts';

const text = 'shared';

testOnStores('shared bytes have a new address with the extension each time', async ({ blobs }) => {
  const addresses = await Promise.all([1, 2].map(() => blobs.share(Buffer.from(text), 'avro')));
  assert.equal(new Set(addresses).size, 2);
  for (const address of addresses) assert.match(address, /^(file|s3):.*\.avro$/);
});

test('shared bytes are at an address of the bucket until a sweep of the next day', async (context) => {
  const { store, server } = await onS3(context);
  const address = await store.blobs.share(Buffer.from(text), 'avro');
  const [, key = ''] = /^s3:\/\/[^/]+\/(.*\.avro)$/.exec(address) ?? [];
  await store.blobs.sweep();
  const object = server.bucket.objects.get(key);
  assert.equal(object && Buffer.from(object.bytes).toString(), text);
  if (object) object.modifiedAt -= scratchLifeMs + 2000;
  await store.blobs.sweep();
  assert.equal(server.bucket.objects.has(key), false);
});
