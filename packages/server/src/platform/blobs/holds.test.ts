import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { diskBlobs } from './disk.ts';
import { holdLifeMs } from './holds.ts';
import { onS3, testOnStores } from './stores.fixture.ts';

const nobody = async (): Promise<Set<string>> => new Set();
const put = (blobs: { put(source: Readable): Promise<{ key: string }> }, content: string) =>
  blobs.put(Readable.from([Buffer.from(content)]));

testOnStores(
  'while there is a hold no blob is removed; afterwards the sweep takes what was to go',
  async (store) => {
    const { blobs, age } = store;
    const { key } = await put(blobs, 'held');
    age?.(key, 86_400_000);
    const [first, second] = [await blobs.hold(), await blobs.hold()];
    await blobs.remove(key);
    await blobs.sweep(3_600_000, nobody);
    await first.release();
    await blobs.remove(key);
    assert.equal(await text(await blobs.open(key)), 'held', 'one of two is left');
    await second.release();
    if (!age) return;
    await blobs.sweep(3_600_000, nobody);
    await assert.rejects(blobs.open(key), { status: 404 });
  },
);

testOnStores('a hold that is taken while a sweep asks who holds a blob keeps it', async ({ blobs, age }) => {
  if (!age) return;
  const { key } = await put(blobs, 'late');
  age(key, 86_400_000);
  let hold: { release(): Promise<void> } | undefined;
  await blobs.sweep(3_600_000, async () => {
    hold ??= await blobs.hold();
    return new Set();
  });
  assert.equal(await text(await blobs.open(key)), 'late');
  await hold?.release();
});

test('the hold of a process that is gone ends by itself (disk)', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-holds-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const blobs = diskBlobs({ folder });
  const { key } = await put(blobs, 'x');
  const hold = await blobs.hold();
  context.after(() => hold.release());
  const before = new Date(Date.now() - holdLifeMs - 1000);
  for (const name of readdirSync(join(folder, 'holds')))
    utimesSync(join(folder, 'holds', name), before, before);
  await blobs.remove(key);
  await assert.rejects(blobs.open(key), { status: 404 });
});

test('the hold of a process that is gone ends by itself (s3)', async (context) => {
  const { store, server } = await onS3(context);
  const { key } = await put(store.blobs, 'x');
  const hold = await store.blobs.hold();
  for (const [name, object] of server.bucket.objects)
    if (name.includes('/holds/')) object.modifiedAt -= holdLifeMs + 5000;
  await store.blobs.remove(key);
  await assert.rejects(store.blobs.open(key), { status: 404 });
  await hold.release();
});

testOnStores(
  'bytes are put back under the key that they had; others are refused and leave nothing',
  async (store) => {
    const { blobs } = store;
    assert.equal(await blobs.isEmpty(), true);
    const made = await blobs.put(Readable.from([Buffer.from('again')]));
    assert.equal(await blobs.isEmpty(), false);
    await blobs.remove(made.key);
    for (const wrong of ['other', 'longer than that', ''])
      await assert.rejects(blobs.putBack(made, Readable.from([Buffer.from(wrong)])));
    assert.deepEqual(await store.holdings(), []);
    await blobs.putBack(made, Readable.from([Buffer.from('again')]));
    assert.equal(await text(await blobs.open(made.key)), 'again');
  },
);
