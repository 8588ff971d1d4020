/** Leaving files out changes no answer of any caller. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Engine } from '@ploidy/engine';
import { engineTypes, tables } from '@ploidy/formats/tables';
import fc from 'fast-check';
import type { DuckdbSql } from '../../../../../engine/src/duckdb.ts';
import { type Lake, makeLake, openEngine, openSql } from '../../../../../engine/src/engine.fixture.ts';
import { Masks } from '../views/masks.ts';
import { fullAccess, type RowAccess } from '../views/row-access.ts';
import { viewsOf } from '../views/views.ts';
import { VisibleTables } from '../views/visible-tables.ts';
import { usableConditions, withoutNeedless } from './pruning.ts';
import type { LocatedFile } from './segment-rows.ts';

const opened = {} as { lake: Lake; engine: Engine };
const { signal } = new AbortController();

/** Values of the files of each table, by column; `n` numbers the rows of a file. */
const contents: Record<string, Record<string, string>[]> = {
  variant: [
    { chromosome: "'chr1'", position: 'n', gene: "'A' || n % 3", sample_id: "'s1'" },
    { chromosome: "'chr1'", position: '10 + n', gene: "'A' || n % 2", sample_id: "'s2'" },
    { chromosome: "'chr2'", position: 'n', gene: "'B' || n % 4", sample_id: "'s1'" },
    { chromosome: "'chr' || 1 + n % 2", position: '5 * n', gene: 'NULL', sample_id: "'s3'" },
    { chromosome: "'chr3'", position: 'NULL', gene: "CASE WHEN n > 3 THEN 'C' END", sample_id: "'s3'" },
  ],
  condition: [
    { patient_id: "'p1'", id: "'c' || n" },
    { patient_id: "'p' || n % 3", id: "'d' || n" },
    { patient_id: 'NULL', id: "'e' || n" },
  ],
  cohort: [
    { cohort_id: "'first'", patient_id: "'p1'" },
    { cohort_id: "'second'", patient_id: "'p' || n % 2" },
    { cohort_id: "'third'", patient_id: "'none'" },
  ],
};

const files: LocatedFile[] = [];
let sql: DuckdbSql;

before(async () => {
  opened.lake = await makeLake();
  opened.engine = await openEngine(opened.lake.folder);
  sql = await openSql(opened.lake.folder);
  for (const [table, all] of Object.entries(contents))
    for (const values of all) files.push(await fileOf(table, values, files.length));
});

after(async () => {
  sql.close();
  await opened.engine.close();
  await opened.lake.remove();
});

async function fileOf(table: string, values: Record<string, string>, ordinal: number): Promise<LocatedFile> {
  const path = join(opened.lake.folder, `${table}-${ordinal}.parquet`);
  const columns = (tables.get(table)?.columns ?? []).map(
    ({ name, type }) => `CAST(${values[name] ?? 'NULL'} AS ${engineTypes[type]}) AS "${name}"`,
  );
  const resource = table === 'condition' ? ", 'Condition' AS _resource_type, id AS _resource_id" : '';
  const select = `SELECT ${columns.join(', ')}${resource} FROM range(8) AS t(n)`;
  const task = { rewrites: [{ select, files: [], path, table }], outputFolder: opened.lake.folder };
  const [outcome] = await opened.engine.rewrite(task, signal);
  assert.ok(outcome?.bounds);
  return {
    ...{ table, path, ordinal, ingestionId: '', segments: 1, recordedAt: 0, genomeBuild: null, source: '' },
    ...{ blob: { key: path, size: 1, sha256: '' }, rowCount: 8, fileRows: null, ordinals: null },
    ...{ merged: false, ownColumns: null, bounds: JSON.stringify(outcome.bounds) },
  };
}

/** Positions, most of them the first or the last of a file. */
const ends = fc.oneof(fc.constantFrom(0, 7, 10, 17, 35), fc.integer({ min: -1, max: 40 }));
const part = fc.oneof(
  fc.constantFrom('A0', 'A1', 'B3', 'C', 'none').map((gene) => `v.gene = '${gene}'`),
  fc.constantFrom("'chr1'", "'chr3', 'chr2'", "'chrX'").map((list) => `v.chromosome IN (${list})`),
  fc
    .tuple(fc.constantFrom('<', '<=', '>', '>=', '=', '<>'), ends)
    .map(([operator, value]) => `v.position ${operator} ${value}`),
  fc.tuple(ends, ends).map(([from, to]) => `v.position BETWEEN ${from} AND ${to}`),
  fc.constantFrom("v.sample_id = 's1'", 'v.gene IS NULL', 'v.position IS NOT DISTINCT FROM NULL'),
);
const where = fc.oneof(
  fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' AND ')),
  fc.tuple(part, part).map((parts) => `(${parts.join(' OR ')})`),
  fc.tuple(part, part).map(([one, other]) => `NOT (${one}) AND ${other}`),
);
const patient = fc.constantFrom(
  ...["c.patient_id = 'p1'", "c.patient_id IN ('p0', 'none')", 'c.id IS NOT NULL'],
  ...["cohort_id = 'first'", "cohort_id IN ('first', 'third')", "cohort_id = 'absent'", 'true'].map(
    (which) => `c.patient_id IN (SELECT patient_id FROM cohort WHERE ${which})`,
  ),
  "c.patient_id NOT IN (SELECT patient_id FROM cohort WHERE cohort_id = 'first')",
);
const statement = fc.tuple(fc.constantFrom(0, 1, 2, 3, 4, 5, 6), where, where, patient).map(
  ([shape, one, other, of]) =>
    [
      `SELECT v.chromosome, v.position, v.gene FROM variant v WHERE ${one} ORDER BY ALL`,
      `SELECT count(*), min(v.gene) FROM variant v WHERE ${one}`,
      `SELECT c.id, v.gene FROM condition c LEFT JOIN variant v ON ${one} WHERE ${of} ORDER BY ALL`,
      `SELECT v.position, w.n FROM variant v LEFT JOIN (SELECT gene, count(*) AS n FROM variant v WHERE ${other} GROUP BY 1) w
       ON w.gene = v.gene WHERE ${one} ORDER BY ALL`,
      `WITH x AS (SELECT * FROM variant v WHERE ${one}) SELECT count(*) FROM x v WHERE ${other}`,
      `SELECT v.gene FROM variant v WHERE ${one} UNION ALL SELECT v.gene FROM variant v WHERE ${other} ORDER BY ALL`,
      `SELECT c.id FROM condition c WHERE ${of} AND EXISTS (SELECT 1 FROM variant v WHERE ${one}) ORDER BY ALL`,
    ][shape] ?? '',
);

async function answerOf(statementText: string, over: LocatedFile[], access: RowAccess): Promise<unknown> {
  const seen =
    access.real === true ? undefined : new VisibleTables(access, new Masks(Buffer.alloc(32, 7), 'p'));
  for (const { name, sql: rows } of viewsOf(['variant', 'condition', 'cohort'], over, seen))
    await sql.run(`CREATE OR REPLACE VIEW ${name} AS ${rows}`);
  return sql.jsonRows(statementText, []);
}

for (const how of ['real', 'masked'] as const)
  test(`generated statements over ${how} rows answer the same without the files that do not matter`, async () => {
    let [leftOut, runs] = [0, 0];
    const access = fullAccess(how);
    await fc.assert(
      fc.asyncProperty(statement, async (text) => {
        const checked = await opened.engine.check(text, ['variant', 'condition', 'cohort']);
        const usable = usableConditions(checked.conditions, access);
        const kept = usable ? await withoutNeedless(files, usable, ({ table }) => table) : files;
        leftOut += files.length - kept.length;
        runs += 1;
        const pruned = files.filter((file) => kept.includes(file));
        assert.deepEqual(
          await answerOf(checked.sql, pruned, access),
          await answerOf(checked.sql, files, access),
        );
      }),
      { numRuns: 80 },
    );
    assert.ok(leftOut > runs / 2, `${leftOut} files were left out in ${runs} statements`);
  });

test('columns that are masked leave no file out, and no column does for callers of some rows', async () => {
  const text = "SELECT * FROM condition WHERE patient_id = 'p1'";
  const { conditions } = await opened.engine.check(text, ['condition']);
  assert.ok(usableConditions(conditions, fullAccess('real')));
  assert.equal(usableConditions(conditions, fullAccess('masked')), undefined);
  const gene = { variant: [[{ column: 'gene', among: ['A0'] }]] };
  assert.ok(usableConditions(gene, fullAccess('masked')));
  const some: RowAccess['real'] = [[{ comparison: 'equals', value: 'p1' }]] as never;
  for (const access of [
    { real: some, masked: false, countsMin: 0 },
    { real: some, masked: true, countsMin: 0 },
    { real: false, masked: true, countsMin: 5 },
    { real: false, masked: some, countsMin: 0 },
  ])
    assert.equal(usableConditions(gene, access), undefined, JSON.stringify(access));
});

test('a condition on a masked column beside others is ignored, and values filled from annotations are too', () => {
  const place = [
    { column: 'sample_id', among: ['s1'] },
    { column: 'rs_id', among: ['rs1'] },
    { column: 'gene', among: ['A0'] },
  ];
  const usable = usableConditions({ variant: [place] }, fullAccess('masked'));
  assert.deepEqual(usable, { variant: [[{ column: 'gene', among: ['A0'] }]] });
});

test('patients of a cohort choose files unless a file of the cohort has no list', async () => {
  const of = { table: 'cohort', column: 'patient_id', where: [{ column: 'cohort_id', among: ['third'] }] };
  const wanted = { condition: [[{ column: 'patient_id', of }]] };
  const tableOf = ({ table }: { table: string }) => table;
  const keptOf = async (some: LocatedFile[]) =>
    (await withoutNeedless(some, wanted, tableOf)).filter(({ table }) => table === 'condition').length;
  assert.equal(await keptOf(files), 1, 'one remains for its columns');
  const unlisted = files.map((file) => {
    const { bounds: _, ...without } = file;
    return file.table === 'cohort' ? without : file;
  });
  assert.equal(await keptOf(unlisted), 3);
  assert.equal(usableConditions(wanted, fullAccess('masked')), undefined);
});

test('a file without bounds is read, and of a table without matching files one remains', async () => {
  const wanted = { variant: [[{ column: 'gene', among: ['nowhere'] }]] };
  const tableOf = ({ table }: { table: string }) => table;
  const [first] = files;
  assert.ok(first);
  assert.deepEqual(
    (await withoutNeedless(files, wanted, tableOf)).filter(({ table }) => table === 'variant'),
    [first],
  );
  const { bounds: _, ...unknown } = first;
  assert.ok((await withoutNeedless([...files, unknown], wanted, tableOf)).includes(unknown));
});
