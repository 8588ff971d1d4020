import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { name, passTime, testOnStores, unname } from './stores.fixture.ts';

/** Guarantees of what a store removes, and what it leaves. */

testOnStores('a sweep removes blobs that no row named in time, and no other', async (store) => {
  const { blobs, holdings } = store;
  const put = async () => (await blobs.put(Readable.from(['x']))).key;
  const [named, ...unnamed] = await Promise.all(Array.from({ length: 20 }, put));
  await name(store, named ?? '');
  await blobs.sweep();
  assert.deepEqual((await holdings()).sort(), [named, ...unnamed].sort(), 'they are young');
  await passTime(store);
  const young = await put();
  await blobs.sweep();
  assert.deepEqual((await holdings()).sort(), [named, young].sort());
});

testOnStores('a blob that a row names is not removed, by any caller', async (store) => {
  const { key } = await store.blobs.put(Readable.from(['x']));
  await name(store, key);
  await store.blobs.remove([key]);
  assert.deepEqual(await store.holdings(), [key]);
});

testOnStores('a sweep removes the blob whose last row went, after a crash between the two', async (store) => {
  const { key } = await store.blobs.put(Readable.from(['x']));
  await name(store, key);
  await unname(store, key);
  assert.deepEqual(await store.holdings(), [key]);
  await store.blobs.sweep();
  assert.deepEqual(await store.holdings(), []);
  const left = store.records.read.selectFrom('blob_intents').selectAll();
  assert.deepEqual(await left.execute(), []);
});

testOnStores('a sweep leaves alone what other records know', async (store) => {
  const { key } = await store.blobs.put(Readable.from(['x']));
  await store.records.transact((tx) => tx.deleteFrom('blob_intents').execute());
  await store.blobs.recover();
  await store.blobs.sweep();
  await store.blobs.remove([key]);
  assert.deepEqual(await store.holdings(), [key]);
});

testOnStores(
  'a store recovers what an earlier process left: its scratch files and unnamed blobs',
  async (store) => {
    const { key } = await store.blobs.put(Readable.from(['x']));
    writeFileSync(await store.blobs.scratchPath('csv'), 'left behind');
    assert.equal((await store.holdings()).length, 2);
    await store.blobs.recover();
    assert.deepEqual(await store.holdings(), [key]);
    await store.blobs.sweep();
    assert.deepEqual(await store.holdings(), []);
  },
);
