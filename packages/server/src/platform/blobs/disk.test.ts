import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { after, beforeEach, test } from 'node:test';
import type { Blobs } from './blobs.ts';
import { diskBlobs } from './disk.ts';
import { keyPath } from './keys.ts';

/** What is so of the store on disk alone; what all stores promise is in blobs.test.ts. */

const root = mkdtempSync(join(tmpdir(), 'ploidy-blobs-'));
after(() => rmSync(root, { recursive: true, force: true }));

// The joining threads keep no process alive; here nothing else would.
const alive = setInterval(() => undefined, 1000);
after(() => clearInterval(alive));

let folder: string;
let blobs: Blobs;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'store-'));
  blobs = diskBlobs({ folder });
});

test('blobs and their folders are for their owner only, also when another process wrote the file', async () => {
  const path = await blobs.scratchPath('parquet');
  writeFileSync(path, 'PAR1', { mode: 0o644 });
  const info = await blobs.adopt(path, { size: 4, sha256: '' });
  assert.equal(statSync(keyPath(folder, info.key)).mode & 0o777, 0o600);
  assert.equal(statSync(folder).mode & 0o077, 0);
  assert.equal(statSync(join(folder, 'scratch')).mode & 0o777, 0o700);
});

test('local processes read the blob itself, not a copy', async () => {
  const info = await blobs.put(Readable.from(['x']));
  await blobs.withLocal([info], async ([path]) => assert.equal(path, keyPath(folder, info.key)));
});

test('a sweep leaves files alone that this store cannot have made', async () => {
  const foreign = join(folder, 'ab', 'README');
  mkdirSync(dirname(foreign), { recursive: true });
  writeFileSync(foreign, 'not ours');
  const old = new Date(Date.now() - 100_000);
  utimesSync(foreign, old, old);
  assert.deepEqual(await blobs.sweep(50_000, async () => new Set()), { removed: 0 });
  assert.ok(existsSync(foreign));
});
