/**
 * Results of masked readers depend on nothing that masks hide. Each statement runs on three lakes whose visible rows are equal:
 * sorted by the real ids, in the opposite order, and with other hidden values in a third order.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Column, engineTypes, tables } from '@ploidy/formats';
import { dialect } from '../../../../../engine/src/dialect/macros.ts';
import type { DuckdbSql } from '../../../../../engine/src/duckdb.ts';
import { openSql } from '../../../../../engine/src/engine.fixture.ts';
import type { QueryTable } from '../../../../../engine/src/engine.ts';
import { checkStatement, type SyntaxTrees } from '../../../../../engine/src/guard/check.ts';
import { engineDefaults } from '../../../../../engine/src/index.ts';
import { failureOf } from '../../../../../engine/src/task-runtime/failure.ts';
import { rowsFor } from '../../../../../engine/src/task-runtime/view.ts';
import { Masks } from './masks.ts';
import { VisibleTables } from './visible-tables.ts';

const names = ['patient', 'observation', 'variant', 'sequence'];
const rowCount = 24;
const patientCount = 8;

interface Lake {
  sql: DuckdbSql;
  tables: QueryTable[];
}

let folder: string;
let lakes: Lake[];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'masked-reader-'));
  const sorted = Array.from({ length: rowCount }, (_, index) => index);
  const shuffled = sorted.map((index) => (index * 7 + 5) % rowCount);
  lakes = [await makeLake(0, sorted), await makeLake(0, sorted.toReversed()), await makeLake(1, shuffled)];
});

after(async () => {
  for (const { sql } of lakes) sql.close();
  await rm(folder, { recursive: true, force: true });
});

/** `variant`: of the hidden values. */
async function makeLake(variant: number, order: number[]): Promise<Lake> {
  const sql = await openSql(folder);
  await sql.run(dialect);
  const visible = new VisibleTables(
    { real: false, masked: true, countsMin: 0 },
    new Masks(new Uint8Array(32), 'project'),
  );
  const made: QueryTable[] = [];
  for (const name of names) {
    const table = tables.get(name);
    assert.ok(table);
    const rows = order
      .filter((row) => name === 'observation' || name === 'variant' || row < patientCount)
      .map((row) => `(${table.columns.map((column) => sqlOf(column, row, variant)).join(', ')})`);
    const columns = table.columns.map((column) => `"${column.name}" ${engineTypes[column.type]}`).join(', ');
    await sql.run(`CREATE TABLE raw_${name} (${columns}); INSERT INTO raw_${name} VALUES ${rows.join(', ')}`);
    const relation = { sql: `SELECT *, ',' AS _words FROM raw_${name}`, files: [] };
    made.push({ name, ...visible.view(table, relation, () => relation) });
  }
  return { sql, tables: made };
}

/** SQL of a value; equal in all lakes where the mask shows it. */
function sqlOf({ name, mask, type }: Column, row: number, variant: number): string {
  const person = row % patientCount;
  if (mask === 'hash')
    return ['patient_id', 'sample_id'].includes(name) ? `'p${person}'` : `'${name}-${row}'`;
  if (mask === 'year') return `DATE '${1950 + person}-0${2 + variant}-1${person}'`;
  if (mask === 'null' && type === 'string') return `'Jane ${variant} of ${row}'`;
  if ((mask === 'code' || mask === 'coded') && row % 4 === 0) return `'words ${variant} on ${row}'`;
  const seen = mask === 'null' ? row + variant * 100 : row;
  const values = {
    string: mask === 'omb' ? "'Asian'" : `'c${seen % 3}'`,
    date: `DATE '2020-01-01' + ${seen}`,
    int: String(seen % 5),
    float: String(seen % 7),
    boolean: String(seen % 2 === 0),
  };
  return values[type];
}

/** Returns what a masked reader gets: rows, or the kind of a failure, whose words are not shown. */
async function answer({ sql, tables: given }: Lake, statement: string): Promise<string> {
  const trees: SyntaxTrees = {
    serialize: (text) => sql.text('SELECT json_serialize_sql($1::VARCHAR)', text),
    deserialize: (tree) => sql.text('SELECT json_deserialize_sql($1::JSON)', tree),
  };
  const limits = { ...engineDefaults.check, countsMin: 0 };
  const checked = await checkStatement(statement, names, limits, trees).catch((error) => {
    throw new Error(statement, { cause: error });
  });
  assert.equal(checked.discreet, true);
  for (const table of given)
    await sql.run(`CREATE OR REPLACE VIEW "${table.name}" AS ${rowsFor(checked, table)}`);
  try {
    const rows = (await sql.rows(checked.sql)).map((row) => Object.values(row));
    return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  } catch (error) {
    return failureOf(error).code;
  }
}

const errors = 'errors, casts and divisions';

/** Statements by the part of SQL that could reveal something. */
const attacks: Record<string, string[]> = {
  'the order of rows': [
    'SELECT patient_id FROM patient',
    'SELECT * FROM patient',
    'SELECT p.* FROM patient p',
    'SELECT COLUMNS(*) FROM observation',
    'FROM observation',
    'SELECT sample_id, position FROM variant',
    'SELECT id FROM sequence WHERE true',
    'SELECT DISTINCT patient_id FROM observation',
    'SELECT patient_id, count(*) FROM observation GROUP BY patient_id',
    'SELECT patient_id FROM patient UNION ALL SELECT patient_id FROM observation',
    'SELECT patient_id FROM patient EXCEPT ALL SELECT patient_id FROM observation',
    'SELECT patient_id FROM observation INTERSECT SELECT patient_id FROM patient',
    'WITH p AS (SELECT patient_id AS q FROM patient) SELECT q FROM p',
    'WITH p AS MATERIALIZED (FROM patient) SELECT patient_id FROM p',
    'WITH RECURSIVE r(n, id) AS (SELECT 1, patient_id FROM patient UNION ALL SELECT n + 1, id FROM r WHERE n < 3) SELECT id FROM r',
    'SELECT patient_id FROM (SELECT patient_id FROM patient)',
    'SELECT x.patient_id FROM patient x, LATERAL (SELECT count(*) FROM observation o WHERE o.patient_id = x.patient_id) y',
    'SELECT patient_id, count(*) FROM observation GROUP BY ROLLUP (patient_id)',
  ],
  'limits and offsets': [
    'SELECT patient_id FROM patient LIMIT 1',
    'SELECT * FROM patient LIMIT 3',
    'SELECT patient_id FROM patient LIMIT 2 OFFSET 3',
    'SELECT patient_id FROM patient LIMIT 30%',
    'SELECT patient_id FROM patient FETCH FIRST 2 ROWS ONLY',
    "SELECT count(*) FROM (SELECT * FROM patient LIMIT 3) WHERE patient_id < '8'",
    'SELECT (SELECT patient_id FROM patient LIMIT 1)',
    'SELECT patient_id FROM patient WHERE patient_id IN (SELECT patient_id FROM observation LIMIT 3)',
    'WITH f AS (SELECT patient_id FROM patient LIMIT 1) SELECT f.patient_id, o.id FROM f JOIN observation o USING (patient_id)',
    'SELECT value_quantity FROM observation LIMIT 7',
    'SELECT * FROM patient TABLESAMPLE RESERVOIR (3 ROWS) REPEATABLE (1)',
    'SELECT patient_id FROM patient LIMIT (SELECT min(component_index) + 2 FROM observation)',
  ],
  'ties of an order': [
    'SELECT patient_id FROM observation ORDER BY status',
    'SELECT * FROM observation ORDER BY status',
    'SELECT patient_id, status FROM observation ORDER BY status LIMIT 3',
    'SELECT * FROM observation ORDER BY status LIMIT 3',
    'SELECT patient_id FROM patient ORDER BY 1 = 1',
    "SELECT patient_id FROM patient ORDER BY dob > DATE '1900-01-01' DESC LIMIT 2",
    'SELECT patient_id FROM observation GROUP BY patient_id ORDER BY count(*) LIMIT 3',
    'SELECT DISTINCT ON (status) patient_id, status FROM observation',
    'SELECT DISTINCT ON (status) * FROM observation ORDER BY status',
    'SELECT patient_id FROM observation ORDER BY text, data, effective',
    'SELECT patient_id FROM observation ORDER BY ALL LIMIT 4',
  ],
  'aggregates that read an order': [
    'SELECT first(patient_id), last(patient_id), any_value(patient_id) FROM patient',
    'SELECT list(patient_id) FROM patient',
    'SELECT array_agg(patient_id)[1] FROM patient',
    "SELECT string_agg(patient_id, ',') FROM patient",
    'SELECT arg_max(patient_id, 1), arg_min(patient_id, true) FROM patient',
    'SELECT max_by(patient_id, data), min_by(patient_id, data) FROM patient',
    'SELECT mode(patient_id), mode(value_quantity) FROM observation',
    'SELECT status, first(id) FROM observation GROUP BY status',
    'SELECT histogram(status), map_from_entries(list((id, status))) FROM observation',
    'SELECT json_group_array(patient_id) FROM patient',
    'SELECT approx_top_k(patient_id, 3) FROM observation',
    'SELECT reservoir_quantile(value_quantity, 0.5, 4) FROM observation',
    'SELECT list(value_quantity ORDER BY status) FROM observation',
    'SELECT count(*), sum(value_quantity), avg(value_quantity), median(value_quantity) FROM observation',
    'SELECT arbitrary(patient_id), count_if(data IS NULL) FROM patient',
  ],
  windows: [
    'SELECT patient_id, row_number() OVER () FROM patient',
    'SELECT patient_id, rank() OVER (ORDER BY text) FROM observation',
    'SELECT lag(patient_id) OVER (), lead(patient_id) OVER () FROM patient',
    'SELECT first_value(patient_id) OVER (PARTITION BY status) FROM observation',
    'SELECT sum(value_quantity) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM observation',
    'SELECT ntile(3) OVER (ORDER BY data), patient_id FROM patient',
    'SELECT patient_id FROM patient QUALIFY row_number() OVER () = 1',
    "SELECT count(*) FROM (SELECT patient_id, row_number() OVER () AS n FROM patient) WHERE n < 4 AND patient_id < '8'",
    'SELECT nth_value(id, 2) OVER (ORDER BY status) FROM observation',
    'SELECT list(patient_id) OVER (ORDER BY dob) FROM patient',
  ],
  joins: [
    'SELECT a.patient_id, b.patient_id FROM patient a POSITIONAL JOIN sequence b',
    'SELECT a.id, b.id FROM observation a ASOF JOIN observation b ON a.value_quantity >= b.value_quantity',
    'SELECT a.patient_id FROM patient a, patient b WHERE a.patient_id > b.patient_id',
    'SELECT count(*) FROM observation a JOIN observation b ON a.text = b.text',
    'SELECT count(*) FROM observation a JOIN observation b ON a.effective < b.effective',
    'SELECT patient_id FROM patient SEMI JOIN observation USING (patient_id)',
    'SELECT patient_id FROM patient NATURAL JOIN observation',
    'SELECT s.id, v.position FROM variant v RIGHT JOIN sequence s ON s.id = v.sample_id',
    "SELECT count(*) FROM patient JOIN (VALUES ('p1'), ('p2')) AS k(id) ON k.id = patient_id",
    "SELECT count(*) FROM patient p CROSS JOIN range(3) WHERE p.dob = DATE '1951-02-11'",
  ],
  'lists and tables made of rows': [
    'SELECT unnest(list(patient_id)) FROM patient',
    'SELECT u FROM (SELECT list(id) AS l FROM observation), unnest(l) AS t(u) LIMIT 2',
    "PIVOT observation ON status IN ('c1', 'c2') USING first(id) GROUP BY patient_id",
    'UNPIVOT (SELECT patient_id, data FROM patient) ON patient_id, data INTO NAME n VALUE v',
    'SELECT list_sort(list(patient_id))[1:3] FROM patient',
    'SELECT list_reduce(list(patient_id), lambda a, b: a || b) FROM patient',
    'SELECT struct_pack(a := patient_id, b := data) FROM patient',
    'SELECT to_json(p) FROM patient p',
    'SELECT hash(p), md5(CAST(p AS VARCHAR)) FROM patient p',
    'SELECT array(SELECT patient_id FROM patient)',
  ],
  [errors]: [
    'SELECT error(text) FROM observation',
    'SELECT error(patient_id) FROM patient',
    'SELECT CAST(patient_id AS INTEGER) FROM patient',
    'SELECT CAST(data AS JSON) FROM patient',
    'SELECT CAST(text AS DATE) FROM observation',
    'SELECT TRY_CAST(text AS DOUBLE) FROM observation',
    "SELECT 1 / (CASE WHEN text LIKE 'Jane 0%' THEN 0 ELSE 1 END) FROM observation",
    "SELECT 1 // (CASE WHEN dob = DATE '1951-02-11' THEN 0 ELSE 1 END) FROM patient",
    "SELECT CASE WHEN code = 'words 0 on 4' THEN CAST('x' AS INTEGER) ELSE 0 END FROM observation",
    "SELECT strptime(effective, '%Y') FROM observation",
    "SELECT json_extract(data, '$.name') FROM patient",
    "SELECT regexp_extract(text, 'Jane (.)', 1) FROM observation",
    'SELECT sqrt(-length(text)) FROM observation',
    'SELECT (SELECT id FROM observation WHERE patient_id = p.patient_id) FROM patient p',
    'SELECT make_date(year(dob), 13, 1) FROM patient',
    "SELECT repeat('x', length(data) * 1000000000) FROM patient",
    "SELECT list_extract(['a'], length(text)) FROM observation",
    'SELECT CAST(9223372036854775807 AS BIGINT) + length(text) FROM observation',
  ],
  'hidden values': [
    'SELECT month(dob), day(dob), dayofweek(dob) FROM patient',
    'SELECT count(text), count(DISTINCT data), max(effective), min(issued) FROM observation',
    'SELECT patient_id FROM patient WHERE data IS NOT NULL',
    "SELECT patient_id FROM observation WHERE text > 'Jane 0'",
    'SELECT code, count(*) FROM observation GROUP BY code',
    "SELECT effective_date - DATE '2020-01-01' FROM observation",
    "SELECT length(patient_id), patient_id LIKE '%p1%' FROM patient",
    "SELECT typeof(text), text IS NULL, coalesce(text, 'none') FROM observation",
  ],
};

for (const [part, statements] of Object.entries(attacks)) {
  test(`a masked reader learns nothing hidden by ${part}`, async () => {
    for (const statement of statements) {
      const [first = '', ...others] = await Promise.all(lakes.map((lake) => answer(lake, statement)));
      for (const other of others) assert.equal(other, first, statement);
      assert.doesNotMatch(first, /Jane|words|\bp[0-7]\b/, statement);
      if (part !== errors) assert.match(first, /^\[/, `${statement} gives rows`);
    }
  });
}
