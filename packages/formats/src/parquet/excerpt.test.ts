/** Excerpts of files that DuckDB wrote, read by DuckDB. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DuckdbSql } from '../../../engine/src/duckdb.ts';
import { type ColumnEnds, type Excerpt, excerptOf } from './excerpt.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-excerpt-'));
const path = join(folder, 'whole.parquet');
const groupRows = 2048;
const groups = 20;
let sql: DuckdbSql;
let whole: Buffer;

before(async () => {
  sql = await DuckdbSql.open({
    ...{ memoryMaxBytes: 256 * 2 ** 20, threads: 1, temporaryFolder: folder, temporaryMaxBytes: 2 ** 20 },
  });
  const rows = `SELECT 'chr' || (1 + i // 20480) AS chromosome, i AS position, 'G' || i % 97 AS gene, repeat('x', i::INTEGER % 50) AS info
    FROM range(${groupRows * groups}) t(i)`;
  await sql.run(
    `COPY (${rows}) TO '${path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${groupRows})`,
  );
  whole = readFileSync(path);
});
after(() => {
  sql.close();
  rmSync(folder, { recursive: true });
});

const numbers = ({ least, greatest }: ColumnEnds): [number, number] => [
  Number(least.readBigInt64LE()),
  Number(greatest.readBigInt64LE()),
];

/** Writes an excerpt beside the file, with bytes that would be wrong in all other places. */
function written({ ranges, footer }: Excerpt): string {
  const bytes = Buffer.alloc(footer.start + footer.bytes.length, 0xff);
  for (const { start, end } of ranges) whole.copy(bytes, start, start, end);
  footer.bytes.copy(bytes, footer.start);
  const place = join(folder, `${Math.random()}.parquet`);
  writeFileSync(place, bytes);
  return place;
}

function excerptBy(keeps: (from: number, to: number) => boolean): Excerpt {
  const excerpt = excerptOf(whole.length, whole, (endsOf) =>
    keeps(...numbers(endsOf('position') as ColumnEnds)),
  );
  return typeof excerpt === 'number' ? assert.fail() : excerpt;
}

const choices: Record<string, (from: number, to: number) => boolean> = {
  'one row group': (from, to) => from <= 30_000 && to >= 30_000,
  'the first and the last': (from, to) => from === 0 || to === groupRows * groups - 1,
  'more than 14 row groups': (from) => from > 0,
  'all row groups': () => true,
  'no row group': () => false,
};

for (const [name, keeps] of Object.entries(choices))
  test(`an excerpt of ${name} has the rows of these, whatever else is in its place`, async () => {
    const excerpt = excerptBy(keeps);
    const place = written(excerpt);
    const starts = Array.from({ length: groups }, (_, at) => at * groupRows);
    const kept = starts.filter((from) => keeps(from, from + groupRows - 1));
    const where =
      kept.map((from) => `position BETWEEN ${from} AND ${from + groupRows - 1}`).join(' OR ') || 'false';
    const answer = (from: string) =>
      sql.jsonRows(
        `SELECT count(*) AS n, md5(string_agg(t::VARCHAR, ';' ORDER BY position)) AS rows FROM (${from}) t`,
        [],
      );
    const found = await answer(`SELECT * FROM read_parquet('${place}')`);
    assert.deepEqual(found, await answer(`SELECT * FROM read_parquet('${path}') WHERE ${where}`));
    assert.equal(Number(found[0]?.['n']), kept.length * groupRows);
    // By a column whose bloom filters are read.
    const one = (of: string) =>
      sql.jsonRows(`SELECT count(*) AS n FROM read_parquet('${of}') WHERE gene = 'G5' AND (${where})`, []);
    assert.deepEqual(await one(place), await one(path));
  });

test('an excerpt holds the bytes of its row groups, and asks for a longer tail', () => {
  const excerpt = excerptBy(choices['one row group'] as never);
  const bytes = excerpt.ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  assert.ok(bytes < whole.length / 10, `${bytes} of ${whole.length} bytes`);
  const needed = excerptOf(whole.length, whole.subarray(-100), () => true);
  assert.ok(typeof needed === 'number' && needed > 100);
  assert.ok(typeof excerptOf(whole.length, whole.subarray(-needed), () => true) !== 'number');
});

test('ends of a column are those of its values, and unknown columns have none', () => {
  const found: unknown[] = [];
  excerptOf(whole.length, whole, (endsOf) => {
    const { least, greatest } = endsOf('chromosome') as ColumnEnds;
    found.push([String(least), String(greatest), endsOf('nothing')]);
    return true;
  });
  assert.deepEqual(
    [found[0], found.at(-1)],
    [
      ['chr1', 'chr1', undefined],
      ['chr2', 'chr2', undefined],
    ],
  );
});
