import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { DuckdbSql } from '../duckdb.ts';
import { digestFile, digestGrowing } from './digest.ts';
import { literal } from './quote.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-digest-'));
after(() => rmSync(folder, { recursive: true }));

const digestOf = (path: string) => {
  const bytes = readFileSync(path);
  return { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
};

test('a file that is written bit by bit, beginning late, is digested as a whole', async () => {
  const path = join(folder, 'slow');
  const write = async (): Promise<string> => {
    for (let part = 0; part < 5; part += 1) {
      await delay(15);
      appendFileSync(path, `${part}`.repeat(700_000));
    }
    return 'done';
  };
  const { outcome, digest } = await digestGrowing(path, write());
  assert.equal(outcome, 'done');
  assert.equal(digest.size, 3_500_000);
  assert.deepEqual(digest, digestOf(path));
  assert.deepEqual(await digestFile(path), digest);
});

test('a result that the engine writes on several threads is digested as it is on the disk', async () => {
  const limits = {
    memoryMaxBytes: 1 << 30,
    temporaryFolder: join(folder, 'spill'),
    temporaryMaxBytes: 1 << 30,
  };
  const sql = await DuckdbSql.open({ ...limits, threads: 4 });
  try {
    const rows = `SELECT n, md5(n::VARCHAR) AS text FROM range(2000000) r(n)`;
    for (const order of [true, false]) {
      await sql.run(`SET preserve_insertion_order = ${order}`);
      const path = join(folder, `rows-${order}.csv`);
      const copy = sql.rows(`COPY (${rows}) TO ${literal(path)} (FORMAT csv, USE_TMP_FILE false)`);
      const { outcome, digest } = await digestGrowing(path, copy);
      assert.equal(Number(outcome[0]?.['Count']), 2_000_000);
      assert.deepEqual(digest, digestOf(path));
    }
  } finally {
    sql.close();
  }
});

test('a failed write is reported, with or without a file', async () => {
  const path = join(folder, 'failed');
  await assert.rejects(digestGrowing(path, Promise.reject(new Error('no'))), /^Error: no$/);
  appendFileSync(path, 'half');
  await assert.rejects(digestGrowing(path, Promise.reject(new Error('no'))), /^Error: no$/);
  await assert.rejects(digestFile(join(folder, 'nothing')), { code: 'ENOENT' });
});
