import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { annotatedColumns, annotation, type Column, engineTypes, type Table, tables } from '@ploidy/formats';
import fc from 'fast-check';
import { annotateSegment } from '../../../../../converters/src/annotation/annotate-segment.ts';
import { DuckdbSql } from '../../../../../engine/src/duckdb.ts';
import type { LocatedFile } from '../catalogue/segment-rows.ts';
import { annotatedTable } from './annotated-segments.ts';
import { variantRelation } from './variant-relation.ts';

type Row = Record<string, string | number | null>;

const variant = tables.get('variant') as Table;
const filled = annotatedColumns.flat();
let folder: string;
let sql: DuckdbSql;
let files = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'annotate-'));
  sql = await DuckdbSql.open({
    memoryMaxBytes: 256 << 20,
    threads: 2,
    temporaryFolder: join(folder, 'spill'),
    temporaryMaxBytes: 1 << 30,
  });
});
after(async () => {
  sql.close();
  await rm(folder, { recursive: true, force: true });
});

const allele = fc.record({
  chromosome: fc.constantFrom('chr1', 'chr2', "HLA-A*01'01"),
  position: fc.integer({ min: 1, max: 3 }),
  reference: fc.constantFrom('A', 'C'),
  alternate: fc.constantFrom('G', 'T'),
});
/** Values that identify their column and row; most are missing. */
const values = fc.tuple(...filled.map(() => fc.option(fc.integer({ min: 0, max: 9 }), { freq: 2 })));
const row = fc.tuple(allele, values).map(([key, all]): Row => {
  const columns = filled.map((name, index): [string, string | number | null] => {
    const value = all[index] ?? null;
    const type = variant.columns.find((column) => column.name === name)?.type;
    return [name, value === null || type !== 'string' ? value : `${name}-${value}`];
  });
  return { ...key, ...Object.fromEntries(columns) };
});
const keyOf = (one: Row): string =>
  [one['chromosome'], one['position'], one['reference'], one['alternate']].join();
const annotationRows = fc.uniqueArray(row, { selector: keyOf, maxLength: 12 });

/** Writes a Parquet file of these rows, by chromosome and position. */
async function written(columns: readonly Column[], rows: readonly Row[]): Promise<string> {
  files += 1;
  const path = join(folder, `${files}.parquet`);
  const literal = (value: Row[string] | undefined): string =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? null);
  const lines = rows.map((one) => `(${columns.map(({ name }) => literal(one[name])).join(', ')})`);
  const nothing = `(${columns.map(() => 'NULL').join(', ')})`;
  const typed = columns.map(({ name, type }) => `CAST(${name} AS ${engineTypes[type]}) AS ${name}`);
  await sql.run(`COPY (SELECT ${typed.join(', ')} FROM (VALUES ${[nothing, ...lines].join(', ')})
    AS t(${columns.map(({ name }) => name).join(', ')}) WHERE chromosome IS NOT NULL
    ORDER BY chromosome, position) TO '${path}' (FORMAT parquet)`);
  return path;
}

function segment(table: string, path: string, ordinal: number): LocatedFile {
  const blob = { key: path, size: 0, sha256: '' };
  return {
    table,
    path,
    ordinal,
    ingestionId: '',
    blob,
    rowCount: 1,
    fileRows: null,
    segments: 1,
    recordedAt: 0,
    ordinals: null,
    merged: false,
    genomeBuild: null,
    source: '',
    ownColumns: null,
  };
}

/** Computes the expected rows in the simplest way. */
function expected(own: readonly Row[], newestFirst: readonly (readonly Row[])[]): string[] {
  return own.map((one) => {
    const said = newestFirst.map((rows) => rows.find((other) => keyOf(other) === keyOf(one)) ?? {});
    const result: Row = {};
    for (const together of annotatedColumns) {
      const source = [one, ...said].find((candidate: Row) =>
        together.some((name) => (candidate[name] ?? null) !== null),
      );
      for (const name of together) result[name] = (source as Row | undefined)?.[name] ?? null;
    }
    return textOf({ ...one, ...result });
  });
}

const shown = ['variant_id', 'chromosome', 'position', 'reference', 'alternate', ...filled];
const textOf = (one: Record<string, unknown>): string =>
  shown.map((name) => String(one[name] ?? '-')).join('|');

test('joined or filled, own values win, then the newest annotation, and grouped columns stay together', async () => {
  const project = fc.tuple(
    fc.array(row, { minLength: 1, maxLength: 15 }),
    fc.array(annotationRows, { minLength: 1, maxLength: 3 }),
  );
  await fc.assert(
    fc.asyncProperty(project, async ([rows, oldestFirst]) => {
      const own = rows.map((one, index) => ({ ...one, variant_id: `v${index}` }));
      const ownPath = await written(variant.columns, own);
      const paths: string[] = [];
      for (const source of oldestFirst) paths.push(await written(annotation.columns, source));
      const sources = paths.map((path, index) => segment(annotation.name, path, index + 1));

      const joined = variantRelation(variant, [segment('variant', ownPath, 9), ...sources]);
      const outputFolder = await mkdtemp(join(folder, 'filled-'));
      const made = await annotateSegment(
        {
          type: 'annotated',
          sourcePath: ownPath,
          besidePaths: paths.toReversed(),
          sourceSize: 0,
          sourceName: 'variant',
          outputFolder,
          setId: 'set',
          options: {},
        },
        sql,
        { progress: () => undefined, warn: () => undefined, account: () => undefined },
      );
      const parts = made.map(({ path }) => segment(annotatedTable, path, 9));
      const filledRelation = variantRelation(variant, [...parts, ...sources]);
      assert.deepEqual(
        filledRelation.files,
        parts.map(({ path }) => path),
      );
      const all = expected(own, oldestFirst.toReversed()).toSorted();
      for (const { sql: select } of [joined, filledRelation]) {
        const found = await sql.rows(select);
        assert.deepEqual(found.map(textOf).toSorted(), all);
      }
    }),
    { numRuns: 25 },
  );
});

test('filled rows keep their order and unknown columns', async () => {
  const rows = ['a', 'b', 'c'].map((id) => ({
    variant_id: id,
    chromosome: 'chr1',
    position: 5,
    reference: 'A',
    alternate: 'C',
  }));
  const extra: Column = { name: '_own', type: 'string', mask: 'none', about: 'Unknown column.' };
  const ownPath = await written(
    [...variant.columns, extra],
    rows.map((one) => ({ ...one, _own: one.variant_id })),
  );
  const source = await written(annotation.columns, [{ ...rows[0], rs_id: 'rs1' } as Row]);
  const outputFolder = await mkdtemp(join(folder, 'filled-'));
  const task = { type: 'annotated', sourcePath: ownPath, besidePaths: [source], sourceSize: 0 } as const;
  const [made] = await annotateSegment(
    { ...task, sourceName: '', outputFolder, setId: '', options: {} },
    sql,
    { progress: () => undefined, warn: () => undefined, account: () => undefined },
  );
  const found = await sql.rows(`SELECT variant_id, rs_id, _own FROM read_parquet('${made?.path}')`);
  assert.deepEqual(
    found,
    ['a', 'b', 'c'].map((id) => ({ variant_id: id, rs_id: 'rs1', _own: id })),
  );
});
