import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useEngine } from '../engine.fixture.ts';
import { StatementRefused, type TableShape } from '../engine.ts';

const opened = useEngine({ query: { idleWorkers: 0 } });

const tables: TableShape[] = [
  {
    name: 'patient',
    columns: [
      { name: 'patient_id', type: 'VARCHAR' },
      { name: 'value', type: 'VARCHAR' },
    ],
    rowCount: 10,
  },
  {
    name: 'score',
    columns: [
      { name: 'patient_id', type: 'VARCHAR' },
      { name: 'points', type: 'BIGINT' },
      { name: 'value', type: 'DOUBLE' },
    ],
    rowCount: 10,
  },
];

async function bind(sql: string): Promise<void> {
  const { sql: checked } = await opened.engine.check(
    sql,
    tables.map(({ name }) => name),
  );
  assert.ok(await opened.engine.bind(sql, checked, tables));
}

const refused = `
SELECT * FROM patient WHERE patient_id = 7
SELECT * FROM patient AS p WHERE 7.0 <> p.patient_id
SELECT * FROM patient WHERE "Patient_ID" IN ('7', 8)
SELECT * FROM patient WHERE patient_id NOT IN (7)
SELECT CASE patient_id WHEN 7 THEN 'a' END FROM patient
SELECT count(*) FILTER (WHERE patient_id IS DISTINCT FROM 7e0) FROM patient
SELECT * FROM patient AS p JOIN score AS s ON p.patient_id = s.points
WITH p AS (SELECT patient_id FROM patient) SELECT * FROM p WHERE patient_id = 7
`;

for (const sql of refused.trim().split('\n')) {
  test(`a text compared with a number is refused: ${sql}`, async () => {
    await assert.rejects(bind(sql), (problem) => {
      assert.ok(problem instanceof StatementRefused, String(problem));
      assert.match(
        problem.message,
        /line 1, column \d+: the column "patient_id" is text and is compared with a number/i,
      );
      return true;
    });
  });
}

const taken = `
SELECT * FROM patient WHERE patient_id = '7'
SELECT * FROM patient WHERE CAST(patient_id AS INTEGER) = 7
SELECT * FROM score WHERE points = 7 AND points IN (1, 2) AND points = '7'
SELECT * FROM score WHERE value = 7
WITH p AS (SELECT length(patient_id) AS patient_id FROM patient) SELECT * FROM p WHERE patient_id = 7
SELECT * FROM (SELECT 7) AS p(patient_id) WHERE patient_id = 7
SELECT filter(ARRAY[1], patient_id -> patient_id = 1) FROM patient
SELECT * FROM patient WHERE length(patient_id) = 7
`;

for (const sql of taken.trim().split('\n')) test(`another comparison is taken: ${sql}`, () => bind(sql));
