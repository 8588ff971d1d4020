/** Verifies that the engine reads the Parquet of `@ploidy/formats`. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import {
  type ColumnPages,
  type ColumnType,
  Dictionary,
  floatPages,
  numberPages,
  type ParquetColumn,
  ParquetFile,
  samePages,
  sharedFloatPages,
  textPages,
} from '@ploidy/formats';
import fc from 'fast-check';
import { DuckdbSql } from '../../../engine/src/duckdb.ts';

const columns: ParquetColumn[] = [
  { name: 'text', type: 'string' },
  { name: 'whole', type: 'int' },
  { name: 'share', type: 'float' },
  { name: 'truth', type: 'boolean' },
  { name: 'place', type: 'int' },
  { name: 'same', type: 'string' },
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

  /** Writes row groups, the last one listed first, and reads them with the engine. */
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
    // The engine caches the content of a path.
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

  test('long runs, long ranges without runs, and nearly unique texts are read back unchanged', async () => {
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

  test('a column of instants has the type that the engine writes, and the encodings of its pages', async () => {
    const parquet = new ParquetFile([{ name: 't', type: 'timestamp' }], (bytes) => bytes);
    const texts = new Dictionary();
    texts.begin().text('2024-01-02 03:04:05.000006');
    const pages = textPages('timestamp', texts, Int32Array.of(texts.end()), 1);
    const magic = parquet.begin();
    const { bytes, group } = parquet.group([pages]);
    const [ours, engines] = [join(folder, 'instant.parquet'), join(folder, 'engine.parquet')];
    await writeFile(ours, Buffer.concat([magic, bytes, parquet.end([group])]));
    await sql.run(`COPY (FROM read_parquet('${ours}')) TO '${engines}' (FORMAT parquet)`);
    const schema = (path: string) =>
      sql.rows(`SELECT type, logical_type FROM parquet_schema('${path}') WHERE name = 't'`);
    assert.deepEqual(await schema(ours), await schema(engines));
    assert.deepEqual(
      await sql.rows(`SELECT typeof(t) AS type, t::VARCHAR AS t FROM read_parquet('${ours}')`),
      [{ type: 'TIMESTAMP', t: '2024-01-02 03:04:05.000006' }],
    );
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

  /** Reads one row group of these columns with the engine. */
  async function readBack(types: readonly ColumnType[], pages: Iterable<ColumnPages>): Promise<unknown[][]> {
    const given = types.map((type, index) => ({ name: `c${index}`, type }) as const);
    const parquet = new ParquetFile(given, (bytes) => zstdCompressSync(bytes));
    const begin = parquet.begin();
    const { bytes, group } = parquet.group(pages);
    const file = join(folder, `${fileCount++}.parquet`);
    await writeFile(file, Buffer.concat([begin, bytes, parquet.end([group])]));
    const found = await sql.rows(`SELECT * FROM read_parquet('${file}')`);
    return found.map((row) => Object.values(row));
  }

  test('texts of which most differ come back, also those that repeat or are missing', async () => {
    for (const rowsOfText of [1, 4]) {
      const texts = new Dictionary();
      const wanted: (string | null)[] = [];
      const places: number[] = [];
      for (let number = 0; number < 5000; number += 1) {
        const text = number % 11 === 0 ? '' : number % 7 === 0 ? 'often' : `id ${number}`;
        texts.begin().text(text);
        const place = texts.end();
        for (let row = 0; row < rowsOfText; row += 1) {
          wanted.push(text === '' ? null : text);
          places.push(place);
        }
      }
      assert.ok(!texts.isExact);
      const pages = [textPages('string', texts, Int32Array.from(places), places.length)];
      assert.deepEqual((await readBack(['string'], pages)).flat(), wanted);
    }
  });

  test('numbers and days of which most differ come back, also those that repeat or are missing', async () => {
    const dayOf = (number: number): string => new Date(number * 86_400_000).toISOString().slice(0, 10);
    const cases: [ColumnType, (number: number) => string, (value: unknown) => string][] = [
      ['int', (number) => String(number * 1_000_003), String],
      ['float', (number) => String(number / 8), String],
      ['date', dayOf, (value) => (value as Date).toISOString().slice(0, 10)],
    ];
    for (const [type, textOf, reported] of cases) {
      const texts = new Dictionary();
      const wanted = Array.from({ length: 3000 }, (_, number) =>
        number % 11 === 0 ? null : textOf(number % 7 === 0 ? 1 : number),
      );
      const places = Int32Array.from(wanted, (text) => {
        texts.begin().text(text ?? '');
        return texts.end();
      });
      assert.ok(!texts.isExact);
      const found = (await readBack([type], [textPages(type, texts, places, places.length)])).flat();
      assert.deepEqual(
        found.map((value) => (value === null ? null : reported(value))),
        wanted,
        type,
      );
    }
  });

  test('numbers with fractions are read back to the last bit, once a row or shared by rows, NaN as NULL', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.double({ noNaN: true }), fc.constant(Number.NaN)), {
          minLength: 1,
          maxLength: 40,
        }),
        fc.array(fc.integer({ min: -1, max: 1000 }), { minLength: 1 }),
        async (numbers, picks) => {
          const rows = Float64Array.from(picks, (pick) => numbers[pick % numbers.length] ?? Number.NaN);
          const there = Float64Array.from(numbers.filter((number) => !Number.isNaN(number)));
          const places = Int32Array.from(picks, (pick) =>
            there.length > 0 && pick >= 0 ? pick % there.length : -1,
          );
          function* pages(): Generator<ColumnPages> {
            yield floatPages(rows);
            yield sharedFloatPages(there, places, places.length);
          }
          const found = await readBack(['float', 'float'], pages());
          assert.deepEqual(
            found,
            picks.map((_, row) => [
              Number.isNaN(rows[row]) ? null : rows[row],
              (places[row] as number) < 0 ? null : there[places[row] as number],
            ]),
          );
        },
      ),
      { numRuns: 60 },
    );
  });
});
