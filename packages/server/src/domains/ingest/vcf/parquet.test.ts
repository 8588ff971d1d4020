/** What `@ploidy/formats` writes as Parquet is what the engine reads. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { type Column, Dictionary, numberPages, ParquetFile, samePages, textPages } from '@ploidy/formats';
import fc from 'fast-check';
import { DuckdbSql } from '../../../platform/engine/duckdb.ts';

const columns: Column[] = [
  { name: 'text', type: 'string', mask: 'none' },
  { name: 'whole', type: 'int', mask: 'none' },
  { name: 'share', type: 'float', mask: 'none' },
  { name: 'truth', type: 'boolean', mask: 'none' },
  { name: 'place', type: 'int', mask: 'none' },
  { name: 'same', type: 'string', mask: 'none' },
];

type Row = [text: string, whole: string, share: string, truth: string, place: number];

const often = <T>(arbitrary: fc.Arbitrary<T>, nothing: T): fc.Arbitrary<T> =>
  fc.oneof(arbitrary, fc.constant(nothing));
const rowOf: fc.Arbitrary<Row> = fc.tuple(
  often(fc.oneof(fc.constantFrom('a', 'ä', 'chr1'), fc.string({ unit: 'grapheme' })), ''),
  often(fc.nat().map(String), ''),
  often(fc.constantFrom('0.1', '1e-05', '0.30000000000000004', '.5', '123456789.123456789', '1E-30'), ''),
  often(fc.constantFrom('true', 'false'), ''),
  fc.maxSafeNat(),
);

describe('Parquet', () => {
  let folder: string;
  let sql: DuckdbSql;
  let path: string;
  let fileCount = 0;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ploidy-parquet-'));
    const limits = { memoryMaxBytes: 256 << 20, threads: 2, temporaryMaxBytes: 1 << 30 };
    sql = await DuckdbSql.open({ ...limits, temporaryFolder: join(folder, 'spill') });
  });
  after(async () => {
    sql.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Writes row groups, the last one listed first, and reads them as the engine does. */
  async function written(groups: Row[][], same: string | undefined): Promise<unknown[][]> {
    const parquet = new ParquetFile(columns, (bytes) => zstdCompressSync(bytes));
    const parts = [parquet.begin()];
    const listed = groups.map((rows) => {
      const pages = (['string', 'int', 'float', 'boolean'] as const).values().map((type, index) => {
        const texts = new Dictionary();
        const places = rows.map((row) => {
          texts.begin().text(String(row[index]));
          return texts.end();
        });
        return textPages(type, texts, Int32Array.from(places), rows.length);
      });
      const numbers = Float64Array.from(rows, (row) => row[4]);
      const { bytes, group } = parquet.group(all(pages, numbers, same));
      parts.push(bytes);
      return group;
    });
    parts.push(parquet.end(listed.reverse()));
    // The engine remembers what stands under a path.
    path = join(folder, `${fileCount++}.parquet`);
    await writeFile(path, Buffer.concat(parts));
    const found = await sql.rows(`SELECT * FROM read_parquet('${path}')`);
    return found.map((row) => Object.values(row));
  }

  function* all(pages: Iterable<ReturnType<typeof numberPages>>, numbers: Float64Array, same?: string) {
    yield* pages;
    yield numberPages(numbers);
    yield samePages(same, numbers.length);
  }

  const expected = (groups: Row[][], same: string | undefined): unknown[][] =>
    groups
      .toReversed()
      .flat()
      .map(([text, whole, share, truth, place]) => [
        text === '' ? null : text.toWellFormed(),
        whole === '' ? null : BigInt(whole),
        share === '' ? null : Number(share),
        truth === '' ? null : truth === 'true',
        BigInt(place),
        same ?? null,
      ]);

  test('any values of every type come back as they were, and groups in the order that is listed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(rowOf, { minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 3 }),
        fc.option(fc.constant('set'), { nil: undefined }),
        async (groups, same) => assert.deepEqual(await written(groups, same), expected(groups, same)),
      ),
      { numRuns: 100 },
    );
  });

  test('long runs, long stretches without, and nearly unique texts come back as they were', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index): Row => {
      const run = Math.floor(index / 1000) % 3;
      return [
        run === 0 ? 'run' : run === 1 ? `id ${index}` : '',
        run === 2 ? String(index % 300) : '7',
        index % 5 === 0 ? '' : `0.${index}`,
        index % 3 === 0 ? 'true' : 'false',
        index * 2 ** 33,
      ];
    });
    assert.deepEqual(
      await written([rows, rows.slice(0, 3)], 'set'),
      expected([rows, rows.slice(0, 3)], 'set'),
    );
    const unique = rows.map((row, index): Row => [`unique ${index}`, row[1], row[2], row[3], row[4]]);
    assert.deepEqual(await written([unique], 'set'), expected([unique], 'set'));
  });

  test('bounds of a group are found, so that the engine can leave it out', async () => {
    const row = (text: string, place: number): Row => [text, '5', '0.25', 'true', place];
    await written([[row('b', 3), row('a', 9), row('c', 5)]], 'set');
    const bounds = await sql.rows(
      `SELECT stats_min_value, stats_max_value FROM parquet_metadata('${path}') WHERE path_in_schema IN ('text', 'share', 'place', 'same')`,
    );
    assert.deepEqual(
      bounds.map((column) => Object.values(column).map(String)),
      [
        ['a', 'c'],
        ['0.25', '0.25'],
        ['3', '9'],
        ['set', 'set'],
      ],
    );
  });
});
