import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../../problem.ts';
import { useEngine } from '../engine.fixture.ts';
import type { BoundStatement, TableShape } from '../engine.ts';

const opened = useEngine({ query: { idleWorkers: 0 } });

const variant: TableShape = {
  name: 'variant',
  columns: [{ name: 'gene', type: 'VARCHAR' }],
  rowCount: 2847,
};

const bind = (sql: string, tables: TableShape[]): Promise<BoundStatement | undefined> =>
  opened.engine.bind(sql, sql, tables);

/** The table of the statement before is asked for in words that the guard would not let through. */
async function assertNothingLeft(): Promise<void> {
  await assert.rejects(bind('SELECT * FROM variant', []), (problem) => {
    assert.ok(problem instanceof Problem, String(problem));
    assert.match(problem.message, /Table with name variant does not exist/);
    return true;
  });
  await assert.rejects(bind('SELECT * FROM varian', []), (problem) => {
    assert.ok(problem instanceof Problem && !problem.message.includes('"variant"'), String(problem));
    return true;
  });
}

test('a table of one statement is not there when the next one is planned', async () => {
  assert.equal((await bind('SELECT gene FROM variant', [variant]))?.estimatedRows, 2847);
  await assertNothingLeft();
});

test('a table of a statement with a mistake is not there when the next one is planned', async () => {
  await assert.rejects(bind('SELECT genee FROM variant', [variant]), /genee/);
  await assertNothingLeft();
});

test('a table of a statement that cannot be planned is not there when the next one is planned', async () => {
  const broken: TableShape = { name: 'patient', columns: [{ name: 'x', type: 'STRUCT(' }], rowCount: 1 };
  await bind('SELECT gene FROM variant', [variant, broken]).catch(() => undefined);
  await assertNothingLeft();
  assert.equal((await bind('SELECT gene FROM variant', [variant]))?.estimatedRows, 2847);
});

test('a table of another shape under the same name is planned as what it is', async () => {
  await bind('SELECT gene FROM variant', [variant]);
  const other = { name: 'variant', columns: [{ name: 'position', type: 'BIGINT' }], rowCount: 5 };
  assert.deepEqual(await bind('SELECT * FROM variant', [other]), {
    columns: [{ name: 'position', type: 'BIGINT' }],
    estimatedRows: 5,
  });
});

test('a number that JSON does not have is bound like others', async () => {
  const { sql } = await opened.engine.check('SELECT CAST(1e400 AS VARCHAR)', []);
  assert.equal((await opened.engine.bind('SELECT CAST(1e400 AS VARCHAR)', sql, []))?.estimatedRows, 1);
});

test('an error that is not of the statement is no answer, and the next statement gets one', async () => {
  // The guard would have printed it as a text.
  assert.equal(await opened.engine.bind('SELECT 1', 'SELECT 1e400', [variant]), undefined);
  await assertNothingLeft();
  assert.equal((await bind('SELECT gene FROM variant', [variant]))?.estimatedRows, 2847);
});

const readable: [string, string[]][] = [
  ['WITH a AS (SELECT 1 AS n), b AS (SELECT * FROM a) SELECT * FROM b, a', []],
  ['WITH a AS (SELECT 1 AS n) SELECT * FROM (WITH a AS (SELECT n + 1 FROM a) SELECT * FROM a)', []],
  ['WITH variant AS (SELECT gene FROM variant) SELECT * FROM variant', ['variant']],
  ['WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM a WHERE n < 3) SELECT * FROM a', []],
  [
    'WITH RECURSIVE a AS (SELECT 1 AS n UNION SELECT n + 1 FROM (WITH x AS (FROM a) FROM x) WHERE n < 3), b AS (FROM a) SELECT * FROM b',
    [],
  ],
  [
    'WITH RECURSIVE a AS (WITH x AS (SELECT 2 AS n) FROM x UNION ALL SELECT a.n + 1 FROM a, x WHERE a.n < 3) FROM a',
    [],
  ],
  ['WITH q AS (SELECT 1) SELECT * FROM q UNION ALL SELECT * FROM q WHERE EXISTS (FROM q)', []],
  ['WITH "Q" AS MATERIALIZED (SELECT 1 AS n) SELECT (SELECT n FROM q) FROM Q WHERE EXISTS (FROM "q")', []],
  ['WITH q AS (SELECT 1 AS n) PIVOT q ON n IN (1) USING count(*)', []],
];

for (const [sql, tables] of readable) {
  test(`WITH queries are read where the engine reads them: ${sql}`, async () => {
    const checked = await opened.engine.check(sql, ['variant']);
    assert.deepEqual(checked.tables, tables);
    assert.ok(await opened.engine.bind(sql, checked.sql, tables.length > 0 ? [variant] : []));
  });
}
