import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { useEngine } from '../engine.fixture.ts';
import { EngineError } from '../engine.ts';

const opened = useEngine();
const { signal } = new AbortController();

const statements: [string, string[]][] = [
  ['WITH variant AS (SELECT 1 AS n) SELECT * FROM variant', []],
  ['WITH variant AS (SELECT gene FROM variant LIMIT 2) SELECT count(*) FROM variant', ['variant']],
  ['WITH variant AS (SELECT 1 AS n), b AS (SELECT * FROM variant) SELECT * FROM b', []],
  [
    'WITH b AS (SELECT count(*) AS n FROM variant), variant AS (SELECT 1 AS n) SELECT * FROM b, variant',
    ['variant'],
  ],
  ['WITH VARIANT AS (SELECT 1 AS n) SELECT * FROM Variant', []],
  ['WITH variant AS (SELECT 1 AS n) SELECT count(*) FROM main.variant', ['variant']],
  ['SELECT (WITH variant AS (SELECT 1 AS n) SELECT n FROM variant), count(*) FROM variant', ['variant']],
  ['WITH variant AS (SELECT 1 AS n) SELECT (SELECT max(n) FROM variant) AS m', []],
  ['WITH variant AS (SELECT 1 AS n) SELECT * FROM (WITH b AS (SELECT n FROM variant) SELECT * FROM b)', []],
  [
    'WITH variant AS (SELECT 1 AS n) SELECT n FROM variant UNION ALL SELECT n + 1 FROM variant ORDER BY 1',
    [],
  ],
  ['WITH variant AS (SELECT 1 AS n) SELECT * FROM variant AS patient', []],
  ['WITH variant AS (SELECT 1 AS n) SELECT 2 AS m WHERE 1 IN (SELECT n FROM variant)', []],
  [
    'WITH RECURSIVE variant(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM variant WHERE n < 3) SELECT count(*) FROM variant',
    [],
  ],
  [
    'WITH variant AS (SELECT 1 AS n) SELECT * FROM (WITH variant AS (SELECT n + 1 AS n FROM variant) SELECT * FROM variant)',
    [],
  ],
  [
    'WITH variant AS (SELECT 1 AS n) SELECT * FROM patient p, LATERAL (SELECT n FROM variant) LIMIT 1',
    ['patient'],
  ],
];

test('a WITH query precedes the table of its name, which is not read then', async () => {
  const { engine, lake } = opened;
  let run = 0;
  const answer = async (sql: string, tables: string[]): Promise<string> => {
    run += 1;
    const outputPath = join(lake.folder, `named-${run}.csv`);
    const read = lake.tables.filter(({ name }) => tables.includes(name));
    await engine.query({ statement: { sql, tables }, tables: read, outputPath }, signal);
    return readFile(outputPath, 'utf8');
  };
  for (const [sql, tables] of statements) {
    const checked = await engine.check(sql, ['variant', 'patient']);
    const reported = (error: unknown) => {
      if (!(error instanceof EngineError)) throw error;
      return error.message;
    };
    const alone = await answer(checked.sql, checked.tables).catch(reported);
    assert.equal(alone, await answer(checked.sql, ['variant', 'patient']).catch(reported), sql);
    assert.deepEqual(checked.tables, tables, sql);
  }
});
