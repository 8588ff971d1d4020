import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { until } from '../../../../../../test/support/until.ts';
import type { BlobInfo } from '../blobs.ts';
import { newKey } from '../keys.ts';
import { BlobCache } from './cache.ts';

const root = mkdtempSync(join(tmpdir(), 'ploidy-cache-'));
after(() => rmSync(root, { recursive: true, force: true }));

/** Bytes of the store by key. */
const stored = new Map<string, Buffer>();
let fetched: string[] = [];
let folder: string;
let fetchBlob = async (key: string, path: string): Promise<void> => {
  fetched.push(key);
  await writeFile(path, stored.get(key) ?? '');
};
const plainFetch = fetchBlob;

beforeEach(() => {
  folder = mkdtempSync(join(root, 'cache-'));
  fetched = [];
  fetchBlob = plainFetch;
});

const open = (bytesMax = 1000) => BlobCache.open(folder, bytesMax, (key, path) => fetchBlob(key, path));

function blob(size: number): BlobInfo {
  const bytes = randomBytes(size);
  const key = newKey();
  stored.set(key, bytes);
  return { key, size, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Reads copies as a process would; rejects when one is not whole. */
const read = (cache: BlobCache, ...blobs: BlobInfo[]) =>
  cache.use(blobs, async (paths) => {
    for (const [index, path] of paths.entries()) {
      assert.ok(readFileSync(path).equals(stored.get(blobs[index]?.key ?? '') ?? Buffer.of()));
    }
  });

/** Returns a use that lasts until it is ended. */
function lasting(cache: BlobCache, ...blobs: BlobInfo[]) {
  const [begun, end] = [Promise.withResolvers<string[]>(), Promise.withResolvers<void>()];
  const ended = cache.use(blobs, async (paths) => {
    begun.resolve(paths);
    await end.promise;
  });
  return { begun: begun.promise, end: () => end.resolve(), ended };
}

test('a blob is fetched once, however many want it at the same time or later', async () => {
  const cache = await open();
  const [a, b] = [blob(100), blob(0)];
  await Promise.all(Array.from({ length: 20 }, () => read(cache, a, b, a)));
  await read(cache, b, a);
  assert.deepEqual(fetched.sort(), [a.key, b.key].sort());
});

test('copies never take more than they may: those unused for longest go', async () => {
  const cache = await open(1000);
  const blobs = [blob(400), blob(400), blob(400)] as const;
  await read(cache, blobs[0]);
  await read(cache, blobs[1]);
  await read(cache, blobs[0]);
  await read(cache, blobs[2]);
  assert.deepEqual(readdirSync(folder).sort(), [blobs[0].key, blobs[2].key].sort());
});

test('a copy in use stays, and a use without room waits for it', async () => {
  const cache = await open(1000);
  const [a, b] = [blob(600), blob(600)];
  const first = lasting(cache, a);
  const [path = ''] = await first.begun;
  const second = read(cache, b);
  const third = read(cache, a);
  assert.deepEqual([existsSync(path), fetched], [true, [a.key]]);
  first.end();
  await Promise.all([first.ended, second, third]);
  assert.ok(fetched.includes(b.key));
});

test('more than there can ever be place for is refused at once, in words', async () => {
  const cache = await open(1000);
  const refused = { name: 'EngineError', code: 'DISK', message: /1200 bytes.*1000.*PLOIDY_CACHE_MAX/ };
  await assert.rejects(read(cache, blob(600), blob(600)), refused);
  assert.deepEqual(fetched, []);
});

test('copies survive a restart, the unused ones of before go first', async () => {
  const [a, b, c] = [blob(400), blob(400), blob(400)];
  const before = await open(1000);
  await read(before, a);
  await until(() => Date.now() % 20 < 10, 'the clock moves on');
  await read(before, b);
  writeFileSync(join(folder, `${newKey()}.part`), 'left by a crash');
  const cache = await open(1000);
  assert.deepEqual(readdirSync(folder).sort(), [a.key, b.key].sort());
  fetched = [];
  await read(cache, b);
  await read(cache, c);
  assert.deepEqual(fetched, [c.key]);
  assert.ok(existsSync(join(folder, b.key)));
});

test('a damaged, shortened or vanished copy is fetched anew', async () => {
  const a = blob(400);
  await read(await open(), a);
  writeFileSync(join(folder, a.key), randomBytes(400));
  const cache = await open();
  await read(cache, a);
  writeFileSync(join(folder, a.key), 'short');
  await read(cache, a);
  rmSync(join(folder, a.key));
  await read(cache, a);
  assert.equal(fetched.length, 4);
});

test('bytes that are not those that were stored are never handed out', async () => {
  const cache = await open();
  const a = blob(400);
  fetchBlob = (_key, path) => writeFile(path, randomBytes(400));
  await assert.rejects(read(cache, a), /other bytes/);
  assert.deepEqual(readdirSync(folder), []);
  fetchBlob = plainFetch;
  await read(cache, a);
});

test('a fetch that fails is an error of those who wait, and the next one tries again', async () => {
  const cache = await open();
  const a = blob(400);
  fetchBlob = () => Promise.reject(new Error('the store is away'));
  const both = await Promise.allSettled([read(cache, a), read(cache, a)]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  fetchBlob = plainFetch;
  await read(cache, a);
});

test('aborted work stops waiting at once, for space as for bytes, and other work continues', async () => {
  const cache = await open(1000);
  const [a, b] = [blob(600), blob(600)];
  const gate = Promise.withResolvers<void>();
  fetchBlob = async (key, path) => {
    await gate.promise;
    await plainFetch(key, path);
  };
  const stop = new AbortController();
  const options = { signal: stop.signal };
  const never = () => Promise.reject(new Error('It should not have come to this.'));
  const forBytes = cache.use([a], never, options);
  const other = read(cache, a);
  const forPlace = cache.use([b], never, options);
  stop.abort(new Error('stopped'));
  await assert.rejects(forBytes, /stopped/);
  await assert.rejects(forPlace, /stopped/);
  await assert.rejects(cache.use([a], never, options), /stopped/);
  gate.resolve();
  await other;
  await read(cache, b);
});

test('a forgotten copy is removed once it is unused, and so is a copy that is wanted once', async () => {
  const cache = await open();
  const [a, b] = [blob(100), blob(100)];
  const use = lasting(cache, a);
  const [path = ''] = await use.begun;
  cache.forget(a.key);
  assert.ok(existsSync(path));
  use.end();
  await use.ended;
  await cache.use([b], async () => undefined, { once: true });
  assert.deepEqual(readdirSync(folder), []);
});
