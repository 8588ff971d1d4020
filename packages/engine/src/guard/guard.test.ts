import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEngine, useEngine, workersOf } from '../engine.fixture.ts';
import { type Engine, StatementRefused } from '../engine.ts';

const opened = useEngine({ query: { idleWorkers: 0 } });

async function refusal(sql: string, by: Engine = opened.engine): Promise<string> {
  const error = await by.check(sql, ['variant']).then(
    (checked) => assert.fail(`passed: ${checked.sql.slice(0, 100)}`),
    (problem: unknown) => problem,
  );
  assert.ok(error instanceof StatementRefused);
  return error.reason;
}

const noDescription =
  'DESCRIBE, SHOW and SUMMARIZE cannot be used: GET /v1/analytics/data-lake/schema lists tables and columns';

const onlySelect = "only a SELECT can be run, and PIVOT only with its values: ON column IN ('a', 'b')";

const faults: [string, string, string][] = [
  [
    'a slip in the grammar',
    'SELECT gene FRM variant\nWHERE (',
    'line 1, column 17: syntax error at or near "variant"',
  ],
  ['an unclosed parenthesis', 'SELECT (1', 'line 1, column 10: syntax error at end of input'],
  [
    'an unknown table',
    'SELECT *\nFROM genome',
    'line 2, column 6: there is no table "genome" in this project; GET /v1/analytics/data-lake/schema lists its tables',
  ],
  [
    'a table with a letter too many',
    'SELECT *\nFROM variants',
    'line 2, column 6: there is no table "variants" in this project (did you mean "variant"?)',
  ],
  [
    'a function with two letters in the wrong order',
    'SELECT medain(1)',
    'line 1, column 8: the function "medain" does not exist or may not be used (did you mean "median"?)',
  ],
  [
    'an unknown function behind letters of several bytes',
    "SELECT 'é😀', foo(1)",
    'line 1, column 14: the function "foo" does not exist or may not be used',
  ],
  [
    'names in backticks',
    'SELECT `gene` FROM variant',
    'line 1, column 13: names stand in double quotes, not in `',
  ],
  [
    'two numbers of LIMIT',
    'SELECT gene FROM variant LIMIT 10, 5',
    'LIMIT accepts one number: write LIMIT 5 OFFSET 10, not LIMIT 10, 5',
  ],
  [
    'a parameter',
    'SELECT \'?\', "$1", $$?$$, -- ?\n /* /* ? */ ? */ a$1, ?',
    'parameters (? and $1) cannot be used: write the values',
  ],
  ['a numbered parameter', 'SELECT 1 + $1', 'parameters (? and $1) cannot be used: write the values'],
  ['a description', 'DESCRIBE variant', noDescription],
  [
    'a description within a statement',
    'SELECT gene FROM variant, (SHOW TABLES) ORDER BY gene DESC',
    noDescription,
  ],
  ['nothing', ' -- nothing', 'there is no statement: write a SELECT'],
  [
    'a second statement',
    "SELECT 'é;', E'\\';', $a$;$a$ -- ;\n;; SELECT 2",
    'only one statement can be run at a time',
  ],
  [
    'a long sum',
    `SELECT ${'1+'.repeat(1500)}1`,
    'operators and calls stand too deeply within each other: at most 1000 levels can be read',
  ],
  ['a selection of nothing', 'SELECT 1 FROM\n(SELECT FROM variant)', 'SELECT clause without selection list'],
  ['a lone SELECT', ' SELECT', 'SELECT clause without selection list'],
  ['a table to be made', 'SELECT "into" INTO t FROM variant', 'SELECT INTO not supported'],
  ['a change', ' DELETE FROM variant', onlySelect],
  ['a change behind a SELECT', 'SELECT 1;\nDROP TABLE variant', onlySelect],
  ['a change behind WITH', 'WITH a AS (SELECT 1) INSERT INTO variant SELECT * FROM a', onlySelect],
];

for (const [what, sql, message] of faults) {
  test(`${what} is refused with its reason`, async () => {
    assert.equal(await refusal(sql), message);
  });
}

test('a text beyond the limit is refused before it is read', async () => {
  assert.match(await refusal(`SELECT '${'x'.repeat(70_000)}'`), /longer than 65536 bytes/);
});

test('characters that are no text are refused', async () => {
  assert.match(await refusal('SELECT 1\0'), /line 1, column 9: .*not valid in a text/);
  assert.match(await refusal("SELECT '\ud800'"), /not valid in a text/);
});

const bombs: [string, string][] = [
  ['deep parentheses', `SELECT ${'('.repeat(30_000)}1${')'.repeat(30_000)}`],
  ['deep subqueries', `${'SELECT * FROM ('.repeat(4000)}SELECT 1${')'.repeat(4000)}`],
  ['deep NOT', `SELECT ${'NOT '.repeat(16_000)}true`],
  ['deep CASE', `SELECT ${'CASE WHEN 1 THEN '.repeat(2500)}1${' END'.repeat(2500)}`],
  ['deep lists', `SELECT ${'['.repeat(30_000)}1${']'.repeat(30_000)}`],
  ['deep types', `SELECT NULL::${'STRUCT(a '.repeat(5000)}INT${')'.repeat(5000)}`],
  ['many additions', `SELECT ${'1+'.repeat(30_000)}1`],
  ['many columns', `SELECT ${'1,'.repeat(30_000)}1`],
  ['many unions', `${'SELECT 1 UNION ALL '.repeat(3400)}SELECT 1`],
  ['many joins', `SELECT * FROM ${'variant,'.repeat(7000)}variant`],
  ['many grouping sets', `SELECT 1 GROUP BY ${Array.from({ length: 60 }, (_, k) => `CUBE(a${k}, b${k})`)}`],
  [
    '40 doubling WITH queries',
    `WITH c0 AS (SELECT 1)${Array.from({ length: 40 }, (_, k) => `, c${k + 1} AS (FROM c${k} UNION ALL FROM c${k})`).join('')} FROM c40`,
  ],
];

for (const [what, sql] of bombs) {
  test(`a bomb of ${what} is refused, and the next check works`, async () => {
    assert.ok((await refusal(sql.slice(0, 65_000))).length < 400);
    assert.equal((await opened.engine.check('SELECT 1', [])).sql, 'SELECT 1');
  });
}

test('a check that lasts too long is refused, and the guard works again', async () => {
  const check = { checkMaxMs: 0, nodesMax: 1e9, queryTextMaxBytes: 1e9 };
  const impatient = await openEngine(opened.lake.folder, { query: { idleWorkers: 0 }, check });
  try {
    // Long to check, so that the watch checks before the answer arrives.
    const long = `SELECT ${Array.from({ length: 60_000 }, (_, index) => `${index} AS c${index}`).join(', ')}`;
    assert.equal(await refusal(long, impatient), 'the statement is too complicated to be read');
  } finally {
    await impatient.close();
  }
});

test('a guard that was killed is replaced', { skip: process.platform !== 'linux' }, async () => {
  const pids = workersOf(process.pid, 'guard');
  assert.equal(pids.length, 1);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  assert.equal((await opened.engine.check('SELECT 1', [])).sql, 'SELECT 1');
  assert.notDeepEqual(workersOf(process.pid, 'guard'), pids);
});
