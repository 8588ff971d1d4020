import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { holdLifeMs, keepAlive } from './holds.ts';
import type { S3Client } from './s3/client.ts';
import { StoreHolds } from './s3/holds.ts';
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

testOnStores(
  'the hold of a process that is gone ends by itself, and the sweep removes it',
  async ({ blobs, holdings, ageHolds }) => {
    if (!ageHolds) return;
    const { key } = await put(blobs, 'x');
    const gone = await blobs.hold();
    ageHolds(holdLifeMs + 5000);
    await blobs.remove(key);
    await assert.rejects(blobs.open(key), { status: 404 });
    const hold = await blobs.hold();
    assert.equal((await holdings()).length, 2);
    await blobs.sweep(3_600_000, nobody);
    assert.equal((await holdings()).length, 1);
    await hold.release();
    await gone.release();
    assert.deepEqual(await holdings(), []);
  },
);

test('a hold counts however many dead ones there are before it (s3)', async (context) => {
  const { store, server } = await onS3(context);
  const { key } = await put(store.blobs, 'x');
  const holds = await Promise.all(Array.from({ length: 20 }, () => store.blobs.hold()));
  const keys = [...server.bucket.objects.keys()].filter((name) => name.includes('/holds/')).sort();
  for (const name of keys.slice(0, -1)) server.bucket.get(name).modifiedAt -= holdLifeMs + 5000;
  await store.blobs.remove(key);
  assert.equal(await text(await store.blobs.open(key)), 'x');
  await store.blobs.sweep(3_600_000, nobody);
  assert.equal((await store.holdings()).length, 2, 'the blob and the hold');
  await Promise.all(holds.map((hold) => hold.release()));
});

test('a hold that is renewed while it is released is not made anew', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const answer = Promise.withResolvers<void>();
  const done: string[] = [];
  const hold = keepAlive(
    () => answer.promise.then(() => done.push('renewed')),
    async () => void done.push('removed'),
  );
  context.mock.timers.tick(holdLifeMs);
  const released = hold.release();
  await nextTurn();
  answer.resolve();
  await released;
  assert.deepEqual(done, ['renewed', 'removed']);
});

test('a hold that was not renewed for about its life has lapsed, and stays so', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  let [now, fails] = [0, false];
  const renew = async () => {
    if (fails) throw new Error('away');
  };
  const pass = async (ms: number) => {
    for (const end = now + ms; now < end; ) {
      now += 30_000;
      context.mock.timers.tick(30_000);
      await nextTurn();
    }
  };
  const hold = keepAlive(renew, async () => undefined, [() => now]);
  await pass(2 * holdLifeMs);
  fails = true;
  await pass(holdLifeMs / 2);
  fails = false;
  await pass(30_000);
  assert.equal(hold.lapsed(), false, 'failures that were made up for in time');
  fails = true;
  await pass(holdLifeMs);
  assert.equal(hold.lapsed(), true);
  fails = false;
  await pass(60_000);
  assert.equal(hold.lapsed(), true, 'what was removed meanwhile is gone');
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

testOnStores(
  'readiness writes, reads and leaves no blob, also while none may be removed',
  async ({ blobs, holdings }) => {
    const hold = await blobs.hold();
    for (let times = 0; times < 3; times += 1) await blobs.check();
    await hold.release();
    assert.equal(await blobs.isEmpty(), true);
    const left = await holdings();
    assert.deepEqual(
      left.filter((name) => !name.endsWith('ready')),
      [],
    );
    assert.ok(left.length <= 1, String(left));
  },
);

testOnStores(
  'a hold for a time keeps what would be removed or swept for so long, without any process',
  async ({ blobs, age, holdings, ageHolds }) => {
    const { key } = await put(blobs, 'kept');
    age?.(key, 86_400_000);
    await blobs.holdFor(3_600_000);
    ageHolds?.(holdLifeMs + 5000);
    await blobs.remove(key);
    await blobs.sweep(0, nobody);
    assert.equal(await text(await blobs.open(key)), 'kept');
    assert.equal((await holdings()).length, 2, 'the blob and the hold');
  },
);

testOnStores(
  'once its time is over such a hold keeps nothing, and the sweep removes it',
  async ({ blobs, holdings }) => {
    const { key } = await put(blobs, 'to go');
    await blobs.holdFor(-5000);
    await blobs.remove(key);
    await assert.rejects(blobs.open(key), { status: 404 });
    await blobs.sweep(0, nobody);
    assert.deepEqual(await holdings(), []);
  },
);

test('a machine that slept has not renewed its hold: of two clocks that of the day went on', async () => {
  let day = 0;
  const done = async () => undefined;
  const hold = keepAlive(done, done, [() => 0, () => day]);
  day = holdLifeMs;
  assert.equal(hold.lapsed(), true);
  await hold.release();
});

test('a hold for a time is counted by the clock of the store, whatever that of the host shows (s3)', async () => {
  const kept: string[] = [];
  const client = {
    list: async () => ({ objects: [], next: undefined, now: 1000 }),
    put: async (key: string) => void kept.push(key),
  };
  await new StoreHolds(client as unknown as S3Client).last(60_000);
  assert.deepEqual(kept, ['holds/until-61000']);
});

test('what clients put into the store stays while there is a hold (s3)', async (context) => {
  const { store } = await onS3(context);
  const { direct } = store.blobs;
  assert.ok(direct);
  const url = direct.uploadUrl('upload', { expiresAt: Date.now() + 60_000 });
  assert.equal((await fetch(url, { method: 'PUT', body: 'arrived' })).status, 200);
  const hold = await store.blobs.hold();
  await direct.discard(['upload']);
  assert.ok(await direct.arrival('upload'));
  await hold.release();
  await direct.discard(['upload']);
  assert.equal(await direct.arrival('upload'), undefined);
});

test('however much that clients put there is discarded at once, the store is asked for holds once (s3)', async (context) => {
  const { store, server } = await onS3(context);
  const { direct } = store.blobs;
  assert.ok(direct);
  const places = Array.from({ length: 40 }, (_, number) => `upload/${number}`);
  for (const place of places) server.bucket.put(`some/prefix/incoming/${place}`, Buffer.from('part'));
  server.served.length = 0;
  await direct.discard(places);
  assert.deepEqual([server.bucket.objects.size, server.served.length], [0, 41]);
});
