import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSql, useEngine } from '../engine.fixture.ts';
import { allowedFunctions } from './functions.ts';

const opened = useEngine({ query: { idleWorkers: 0 } });

const asksClock = async (value: string): Promise<boolean> =>
  (await opened.engine.check(`SELECT ${value} AS x FROM variant`, ['variant'])).asksClock === true;

test('a statement that asks for the time is known as such, in whatever way and place it asks', async () => {
  const values = [
    ...['current_date', 'CURRENT_DATE', 'current_date()', 'current_timestamp', 'current_time', 'localtime'],
    ...['localtimestamp', 'now()', 'Now()', 'today()', 'transaction_timestamp()', 'get_current_timestamp()'],
    ...['get_current_time()', 'current_localtime()', 'current_localtimestamp()', 'uuidv7()'],
    ...["age(TIMESTAMP '2020-01-01')", 'ago(INTERVAL 1 DAY)', 'year(current_date) - 5'],
    ...['(SELECT max(i) FROM range(3) t(i) WHERE i < epoch(now()))', 'CASE WHEN today() IS NULL THEN 1 END'],
    'list_filter([1], lambda y: y < year(now()))[1]',
  ];
  for (const value of values) assert.equal(await asksClock(value), true, value);
  const nested =
    'WITH a AS (SELECT now() AS n) SELECT gene FROM variant, a UNION ALL SELECT gene FROM variant';
  assert.equal((await opened.engine.check(nested, ['variant'])).asksClock, true);
});

test('a statement that only resembles a clock function does not ask the clock', async () => {
  const values = [
    ...[
      "'now()'",
      "'current_date'",
      'gene',
      'random()',
      "age(TIMESTAMP '2021-01-01', TIMESTAMP '2020-01-01')",
    ],
    ...["year(DATE '2020-01-01')", '"current"', "date_diff('day', DATE '2020-01-01', DATE '2020-02-01')"],
  ];
  for (const value of values) assert.equal(await asksClock(value), false, value);
});

test('no allowed function of the engine asks for the time unknown to us', async () => {
  const sql = await openSql(opened.lake.folder);
  const rows = await sql.rows(
    `SELECT DISTINCT lower(function_name) AS name FROM duckdb_functions()
     WHERE stability = 'CONSISTENT_WITHIN_QUERY'
     OR regexp_matches(lower(macro_definition), 'now\\(|today\\(|current_(date|time)|localtime')`,
  );
  sql.close();
  const names = rows.map(({ name }) => String(name)).filter((name) => allowedFunctions.has(name));
  assert.ok(names.length > 5, String(names));
  for (const name of names) {
    const calls = [`${name}()`, `${name}(INTERVAL 1 DAY)`];
    const known = await Promise.all(calls.map((call) => asksClock(call)));
    assert.ok(known.some(Boolean), name);
  }
});
