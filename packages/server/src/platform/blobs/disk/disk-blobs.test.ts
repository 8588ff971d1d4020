import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, beforeEach, type TestContext, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { prepareSqlite } from '../../../../../../test/support/prepared-records.ts';
import { silent } from '../../../../../../test/support/records.ts';
import { openRecords } from '../../records/index.ts';
import type { Blobs } from '../blobs.ts';
import { keyPath } from '../keys.ts';
import { diskBlobs } from './disk-blobs.ts';

/** Guarantees of the store on disk alone; those of all stores are in blobs.test.ts. */

const root = mkdtempSync(join(tmpdir(), 'ploidy-blobs-'));
after(() => rmSync(root, { recursive: true, force: true }));

// The joining threads keep no process alive; here nothing else would.
const alive = setInterval(() => undefined, 1000);
after(() => clearInterval(alive));

let folder: string;
let blobs: Blobs;
beforeEach(async (context) => {
  folder = mkdtempSync(join(root, 'store-'));
  prepareSqlite({ dataFolder: folder, databaseUrl: '' });
  const records = await openRecords({ folder, log: silent });
  (context as TestContext).after(() => records.close());
  blobs = diskBlobs({ folder, records });
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

test('a slow reader gets the same bytes out of a few reused buffers, and the file is closed', async () => {
  const bytes = randomBytes(5_000_000);
  const { key } = await blobs.put(Readable.from([bytes]));
  const seen = new Set<ArrayBufferLike>();
  const got: Buffer[] = [];
  const slow = new Writable({
    highWaterMark: 64 * 1024,
    write: (chunk: Buffer, _encoding, done) => {
      seen.add(chunk.buffer);
      // The chunk is looked at as late as a socket may: when the next turns of the event loop have been.
      setImmediate(() =>
        setImmediate(() => {
          got.push(Buffer.from(chunk));
          done();
        }),
      );
    },
  });
  const between = new PassThrough({ highWaterMark: 1 });
  const range = { start: 1000, end: 4_900_001 };
  const source = await blobs.open(key, range, { passedOn: true });
  await pipeline(source, between, slow);
  assert.ok(Buffer.concat(got).equals(bytes.subarray(range.start, range.end)));
  assert.ok(seen.size <= 8, `${seen.size} pieces`);
  const left = await blobs.open(key, undefined, { passedOn: true });
  left.resume();
  await once(left, 'data');
  left.destroy();
  await once(left, 'close');
});

describeApp(
  'a disk of which only the reserve is free',
  (app) => {
    test('a full disk accepts no bytes and no work that writes, but records, reads and deletes', async () => {
      assert.equal((await fetch(`${app.address}/readyz`)).status, 200);
      const project = await TestProject.make(app.call, 'Full');
      const made = await app.call('POST', '/v1/files', { body: { name: 'a.txt', datasetId: project.id } });
      assert.equal(made.status, 200, made.text);
      const sent = await fetch(made.body.uploadUrl, { method: 'PUT', body: 'bytes' });
      const refusal = (await sent.json()) as { code: string; error: string };
      assert.deepEqual([sent.status, refusal.code], [503, 'STORAGE_FULL']);
      assert.match(refusal.error, /free space/);
      const query = await project.startQuery('SELECT 1 AS one');
      const end = await project.endOfQuery(query);
      assert.deepEqual([end.state, end.error?.code], ['failed', 'QUERY_DISK'], JSON.stringify(end.error));
      assert.equal((await app.call('GET', `/v1/projects/${project.id}/files`)).status, 200);
      assert.ok([200, 202, 204].includes((await app.call('DELETE', `/v1/projects/${project.id}`)).status));
    });
  },
  { PLOIDY_DISK_RESERVE: '1000TiB' },
);
