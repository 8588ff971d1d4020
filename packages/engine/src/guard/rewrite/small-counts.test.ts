import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { dialect } from '../../dialect/macros.ts';
import type { DuckdbSql } from '../../duckdb.ts';
import { openSql } from '../../engine.fixture.ts';
import { engineDefaults } from '../../index.ts';
import { headersOf, writtenNames } from '../../task-runtime/column-names.ts';
import { checkStatement, type SyntaxTrees } from '../check.ts';
import { allowedFunctions } from '../functions.ts';
import { Refusal } from '../refusal.ts';
import { aggregates, revealingAggregates, summaries } from './aggregates.ts';
import { dialectNames } from './dialect-names.ts';

const countsMin = 3;
let folder: string;
let sql: DuckdbSql;
let trees: SyntaxTrees;

/** Ten patients; 0–3 live in A, 4 and 5 in B, the others in C. Each has as many visits as the patient's number; 7 has cost 700. */
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'small-counts-'));
  sql = await openSql(folder);
  await sql.run(dialect);
  await sql.run(
    `CREATE VIEW patient AS SELECT 'p' || range AS patient_id, CASE WHEN range < 4 THEN 'A' WHEN range < 6 THEN 'B' ELSE 'C' END
      AS city, range AS age, 'p' || range AS _patient FROM range(10)`,
  );
  await sql.run(
    `CREATE VIEW visit AS SELECT 'p' || p.range AS patient_id, p.range * 100 AS cost, v.range AS number, 'p' || p.range AS _patient
      FROM range(10) AS p, range(10) AS v WHERE v.range < p.range`,
  );
  trees = {
    serialize: (text) => sql.text('SELECT json_serialize_sql($1::VARCHAR)', text),
    deserialize: (tree) => sql.text('SELECT json_deserialize_sql($1::JSON)', tree),
  };
});

after(async () => {
  sql.close();
  await rm(folder, { recursive: true, force: true });
});

const check = (statement: string) =>
  checkStatement(statement, ['patient', 'visit'], { ...engineDefaults.check, countsMin }, trees);

async function answer(statement: string): Promise<unknown[][]> {
  const rows = await sql.rows((await check(statement)).sql);
  return rows.map((row) =>
    Object.values(row).map((value) => (typeof value === 'bigint' ? Number(value) : value)),
  );
}

const answers: [string, unknown[][]][] = [
  ['SELECT 1 AS one', [[1]]],
  ['SELECT count(*) FROM patient', [[10]]],
  ["SELECT count(*) FROM patient WHERE city = 'B'", []],
  ["SELECT count(*) FROM patient WHERE patient_id = 'p7'", []],
  ["SELECT 1 FROM patient WHERE patient_id = 'p7' AND age > 5", []],
  [
    'SELECT city, count(*) FROM patient GROUP BY city ORDER BY 1',
    [
      ['A', 4],
      ['C', 4],
    ],
  ],
  [
    'SELECT city, count(*) AS n FROM patient GROUP BY ALL ORDER BY n, city',
    [
      ['A', 4],
      ['C', 4],
    ],
  ],
  ['SELECT patient_id, count(*) FROM visit GROUP BY 1', []],
  ['SELECT patient_id FROM visit GROUP BY 1', []],
  ['SELECT count(*), sum(cost) FROM visit', [[45, 28500]]],
  ["SELECT sum(cost) FILTER (WHERE patient_id = 'p7'), count(*) FROM visit", [[null, 45]]],
  ["SELECT count(*) FILTER (WHERE patient_id <> 'p7') FROM visit", [[38]]],
  ["SELECT 100.0 * count(*) FILTER (WHERE city = 'A') / count(*) FROM patient", [[40]]],
  ["SELECT count(*) FROM visit v JOIN patient p USING (patient_id) WHERE p.city = 'C'", [[30]]],
  ["SELECT sum(v.cost) FROM visit v CROSS JOIN patient p WHERE v.patient_id = 'p7'", []],
  ["SELECT avg(v.cost) FROM visit v, patient p, patient q WHERE v.patient_id = 'p7' AND p.age <> q.age", []],
  ["SELECT count(*) FROM patient HAVING sum(age) FILTER (WHERE patient_id = 'p7') > 5", []],
  [
    "SELECT count(*) FROM patient HAVING count(*) > 5 ORDER BY sum(age) FILTER (WHERE patient_id = 'p7')",
    [[10]],
  ],
  [
    'SELECT city, count(*) FROM patient GROUP BY CUBE (city) ORDER BY 2, 1',
    [
      ['A', 4],
      ['C', 4],
      [null, 10],
    ],
  ],
  [
    'SELECT round(avg(age), 1), stddev(age) > 1, count(DISTINCT city), approx_distinct(city) FROM patient',
    [[4.5, true, 3, 3]],
  ],
  [
    "SELECT approx_distinct(age, 0.01), approx_distinct(city) FILTER (WHERE city = 'B'), approx_distinct(age) FILTER (WHERE city = 'C') FROM patient",
    [[10, null, 4]],
  ],
];

for (const [statement, expected] of answers) {
  test(`results about too few patients are left out: ${statement}`, async () => {
    assert.deepEqual(await answer(statement), expected);
  });
}

/** Rows of one patient, repeated by joins until they outweigh the others. */
const weighted = `
avg(v.cost) FROM visit v JOIN patient p ON v.patient_id = 'p7' OR p.age = 0
avg(v.cost) FROM visit v JOIN patient p ON v.patient_id = 'p7' OR p.age = 0 JOIN patient q ON v.patient_id = 'p7' OR q.age = 0
avg(v.cost) FROM visit v, patient p, patient q WHERE v.patient_id = 'p7' OR p.age + q.age = 0
sum(v.cost) FROM visit v LEFT JOIN patient p ON v.patient_id = 'p7'
count(*) FROM patient p JOIN visit v ON p.patient_id = 'p7' OR v.cost = 900
`;

for (const rest of weighted.trim().split('\n')) {
  test(`results in which one patient outweighs all others are left out: ${rest}`, async () => {
    assert.deepEqual(await answer(`SELECT ${rest}`), []);
  });
}

test('an aggregate in which one patient outweighs all others is NULL beside others', async () => {
  const statement = `SELECT sum(v.cost) FILTER (WHERE p.age = 0 OR v.patient_id = 'p9'), count(*) > 99 FROM visit v, patient p`;
  assert.deepEqual(await answer(statement), [[null, true]]);
});

test('a cast that fails is NULL: failures reveal nothing of a row', async () => {
  assert.deepEqual(await answer('SELECT count(*) FROM patient WHERE CAST(city AS INTEGER) IS NULL'), [[10]]);
});

const refused = `
SELECT * FROM patient
SELECT patient.* FROM patient
SELECT COLUMNS('age') FROM patient
SELECT count(COLUMNS(*)) FROM patient
SELECT min(age) FROM patient
SELECT max_by(age, patient_id) FROM patient
SELECT any_value(age), arbitrary(age), first(age) FROM patient
SELECT list(age), array_agg(age), string_agg(city) FROM patient
SELECT histogram(age) FROM patient
SELECT map_agg(patient_id, age) FROM patient
SELECT approx_distinct(CASE WHEN city = 'B' THEN age END) FROM patient
SELECT approx_distinct(age) OVER () FROM patient
SELECT set_agg(age) FROM patient
SELECT approx_percentile(age, 0.5) FROM patient
SELECT median(age) FROM patient
SELECT wavg(age, age) FROM patient
SELECT json_group_array(age) FROM patient
SELECT sum(CASE WHEN patient_id = 'p7' THEN age ELSE 0 END) FROM patient
SELECT sum(age * CAST(patient_id = 'p7' AS INTEGER)) FROM patient
SELECT count_if(age > 8) FROM patient
SELECT count(*) FROM patient WHERE (SELECT age FROM patient WHERE patient_id = 'p7') > 5
SELECT count(*) FROM patient WHERE patient_id IN (SELECT patient_id FROM visit WHERE cost > 800)
SELECT count(*) FROM patient WHERE EXISTS (FROM visit WHERE visit.patient_id = patient.patient_id)
SELECT count(*) FROM (SELECT DISTINCT city FROM patient)
SELECT sum(n) FROM (SELECT count(*) AS n FROM patient WHERE patient_id = 'p7') AS s
WITH one AS (SELECT * FROM patient WHERE patient_id = 'p7') SELECT count(*) FROM one
SELECT count(*) FROM patient UNION ALL SELECT 1
SELECT count(*) OVER () FROM patient
SELECT sum(age) OVER (PARTITION BY patient_id) FROM patient
SELECT row_number() OVER () FROM patient
SELECT city FROM patient QUALIFY row_number() OVER () = 1
SELECT count(*) FROM patient AS p(a, b, c, _patient)
SELECT count(*) FROM patient WHERE _patient = 'p7'
SELECT count(DISTINCT "_PATIENT") FROM patient
SELECT count(*) FROM visit NATURAL JOIN patient
SELECT count(*) FROM visit SEMI JOIN patient USING (patient_id)
SELECT count(*) FROM visit POSITIONAL JOIN patient
SELECT count(*) FROM visit ASOF JOIN patient ON visit.number >= patient.age
SELECT count(*) FROM patient TABLESAMPLE 10%
SELECT count(*) FROM patient USING SAMPLE 3 ROWS
SELECT count(*) FROM patient, range(1000)
SELECT count(*) FROM patient, (VALUES (1), (2), (3)) AS v(x)
SELECT count(*) FROM patient, unnest([1, 2, 3])
SELECT count(*) FROM patient WHERE error(patient_id) IS NULL
SELECT count(*) FROM patient WHERE random() < 0.5
SELECT unnest([1, 2]), count(*) FROM patient GROUP BY 1
SELECT city FROM patient PIVOT (count(*) FOR city IN ('A'))
`;

for (const statement of refused.trim().split('\n')) {
  test(`refused where small counts are left out: ${statement}`, async () => {
    await assert.rejects(check(statement), Refusal);
  });
}

test('rows without an aggregate are no answer', async () => {
  const { sql: text } = await check("SELECT city FROM patient WHERE patient_id = 'p7'");
  await assert.rejects(sql.columns(text), /must appear in the GROUP BY clause/);
});

test('columns have the headers that they have without small counts', async () => {
  const headers = async (text: string): Promise<string[]> => {
    const names = (await sql.columns(text)).map(({ name }) => name);
    return headersOf(names, writtenNames(JSON.parse(await trees.serialize(text))));
  };
  const statement =
    'SELECT count(*), sum(p.age), avg(age) AS mean, count(*) + 1, round(avg(age)), count(city), -sum(age), approx_distinct(age) FROM patient p';
  const found = await headers((await check(statement)).sql);
  assert.deepEqual(found, [
    'count',
    'sum',
    'mean',
    'column_4',
    'round',
    'count_2',
    'column_7',
    'approx_count_distinct',
  ]);
  const open = await checkStatement(statement, ['patient', 'visit'], engineDefaults.check, trees);
  assert.deepEqual(found, await headers(open.sql));
});

test('every aggregate of the engine is either allowed or refused by a decision', async () => {
  const rows = await sql.rows(
    `SELECT DISTINCT lower(function_name) AS name FROM duckdb_functions() WHERE function_type = 'aggregate'`,
  );
  const names = rows.map((row) => String(row['name'])).filter((name) => allowedFunctions.has(name));
  assert.deepEqual(
    names.filter((name) => !summaries.has(name) && !revealingAggregates.has(name)),
    [],
  );
});

test('every macro of the engine and of ours that aggregates is known to do so', async () => {
  const rows = await sql.rows(
    `SELECT DISTINCT function_name AS name, macro_definition AS body FROM duckdb_functions() WHERE function_type = 'macro'`,
  );
  const aggregating = rows.filter(({ body }) =>
    [...String(body).matchAll(/"?(\w+)"?\(/g)].some(([, called = '']) => aggregates.has(called)),
  );
  const unknown = aggregating
    .map(({ name }) => String(name))
    .filter((name) => (allowedFunctions.has(name) || dialectNames.has(name)) && !aggregates.has(name));
  assert.deepEqual(unknown, []);
});
