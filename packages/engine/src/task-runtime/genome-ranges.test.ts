import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DuckdbSql } from '../duckdb.ts';
import { genomeRanges } from './genome-ranges.ts';

let folder: string;
let sql: DuckdbSql;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ranges-'));
  sql = await DuckdbSql.open({
    memoryMaxBytes: 128 << 20,
    threads: 1,
    temporaryFolder: join(folder, 'spill'),
    temporaryMaxBytes: 1 << 30,
  });
});
after(async () => {
  sql.close();
  await rm(folder, { recursive: true, force: true });
});

const countIn = async (relation: string, condition: string): Promise<number> =>
  Number((await sql.rows(`SELECT count(*) AS count FROM ${relation} WHERE ${condition}`))[0]?.['count']);

test('every row is in exactly one range, in order, and a range has about as many rows as it may', async () => {
  // Three chromosomes of 10,000 rows and a hundred contigs of 7, one of which has an apostrophe.
  await sql.run(`CREATE TABLE big AS
    SELECT 'chr' || (1 + range // 10000) AS chromosome, (range % 10000) * 9973 AS position FROM range(30000)
    UNION ALL SELECT 'contig''' || (range // 7), range % 7 FROM range(700)`);
  const ranges = await genomeRanges(sql, 'big', 1000);
  const counts: number[] = [];
  for (const range of ranges) counts.push(await countIn('big', range));
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    30_700,
  );
  assert.ok(Math.max(...counts) <= 1000 && Math.min(...counts) > 0);
  assert.ok(ranges.length <= 35, `${ranges.length} ranges`);
  const overlapping = ranges.map((range) => `(${range})::INTEGER`).join(' + ');
  assert.equal(await countIn('big', `${overlapping} <> 1`), 0);
});

test('rows at one place stay together, however many they are, and without rows there is no range', async () => {
  await sql.run("CREATE TABLE heap AS SELECT 'chr1' AS chromosome, 5 AS position FROM range(5000)");
  assert.deepEqual(await genomeRanges(sql, 'heap', 1000), ["chromosome = 'chr1'"]);
  assert.deepEqual(await genomeRanges(sql, '(FROM heap WHERE position > 5)', 1000), []);
});
