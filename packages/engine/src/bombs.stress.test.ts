import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Lake, makeLake, openEngine } from './engine.fixture.ts';
import { type Engine, EngineError } from './engine.ts';

const mebibyte = 1024 ** 2;
let lake: Lake;
/** Statements with little space. */
let narrow: Engine;
/** Statements with little time; each uses one core until then. */
let hasty: Engine;

before(async () => {
  lake = await makeLake();
  const query = {
    memoryMaxBytes: 64 * mebibyte,
    residentMaxBytes: 320 * mebibyte,
    temporaryMaxBytes: 4 * mebibyte,
    outputMaxBytes: 4 * mebibyte,
  };
  narrow = await openEngine(lake.folder, { query });
  hasty = await openEngine(lake.folder, { query: { ...query, runTimeMaxMs: 1000, threads: 1 } });
});

after(async () => {
  await narrow.close();
  await hasty.close();
  await lake.remove();
});

async function run(engine: Engine, sql: string, path: string): Promise<number> {
  const task = { statement: { sql, tables: [] }, tables: [], outputPath: path };
  return (await engine.query(task, new AbortController().signal)).rowCount;
}

const doubling = (count: number): string => {
  const queries = Array.from({ length: count }, (_, k) => `c${k + 1} AS (FROM c${k} UNION ALL FROM c${k})`);
  return `WITH c0 AS (SELECT 1 AS a), ${queries.join(', ')} SELECT count(*) FROM c${count}`;
};

const crossJoin =
  'SELECT max(a || b) FROM (SELECT md5(i::VARCHAR) a FROM range(100000) r(i)), (SELECT md5(i::VARCHAR) b FROM range(100000) r(i))';

const bombs: [string, EngineError['code'][], string][] = [
  ['one huge text', ['MEMORY'], "SELECT length(rpad('', 2000000000, 'x') || rpad('', 2000000000, 'x'))"],
  [
    'many large texts',
    ['MEMORY', 'DISK'],
    "SELECT length(string_agg(rpad('', 1000, 'x'), '')) FROM range(1000000)",
  ],
  ['a huge list', ['MEMORY', 'DISK'], 'SELECT len(range(1000000000))'],
  [
    'a large sort',
    ['DISK', 'MEMORY'],
    'SELECT * FROM (SELECT md5(i::VARCHAR) || sha256(i::VARCHAR) AS t FROM range(1200000) r(i) ORDER BY t) OFFSET 1199999',
  ],
  [
    'a large group',
    ['DISK', 'MEMORY'],
    'SELECT count(*) FROM (SELECT md5(i::VARCHAR) AS m FROM range(3000000) r(i) GROUP BY m)',
  ],
  [
    'an endless join',
    ['TIME'],
    'SELECT count(*) FROM range(100000000) a(i), range(100000) b(j) WHERE hash(i + j) = 1',
  ],
  [
    'an endless recursion',
    ['TIME', 'MEMORY', 'DISK'],
    'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r',
  ],
  ['40 doubling WITH queries', ['MEMORY', 'TIME', 'DISK'], doubling(40)],
  ['an endless result', ['RESULT_SIZE'], "SELECT i, rpad('', 100, 'x') FROM range(1000000000) r(i)"],
  ['a row of a gigabyte', ['RESULT_SIZE', 'MEMORY'], "SELECT rpad('', 250000000, 'x') FROM range(4)"],
  [
    'thousands of columns',
    ['RESULT_SIZE', 'MEMORY'],
    `SELECT ${Array.from({ length: 2000 }, (_, k) => `i + ${k} AS c${k}`).join(', ')} FROM range(100000) r(i)`,
  ],
  [
    'an aggregate of a long list',
    ['MEMORY', 'DISK', 'TIME'],
    "SELECT list_aggregate(range(400000000), 'sum')",
  ],
  ['a cross join of texts', ['MEMORY', 'DISK', 'TIME', 'RESULT_SIZE'], crossJoin],
  [
    'a large window',
    ['MEMORY', 'DISK', 'TIME'],
    'SELECT max(l) FROM (SELECT list(i) OVER (ORDER BY i) AS l FROM range(200000) r(i))',
  ],
  [
    'a pattern with large repetitions',
    ['SQL', 'TIME'],
    "SELECT regexp_matches(rpad('', 100000, 'a'), '((a{0,100}){0,100}){0,100}$')",
  ],
  [
    'a pattern on a long text',
    ['TIME', 'MEMORY'],
    "SELECT count(*) FROM range(100000) r(i) WHERE regexp_matches(rpad('', 1000000, 'a') || i, '(a|aa)+(a|aa)+[0-9]+b$')",
  ],
  ['one long call', ['TIME', 'MEMORY'], "SELECT levenshtein(rpad('', 200000, 'ab'), rpad('', 200000, 'ba'))"],
  ['a long reduction', ['TIME', 'MEMORY'], 'SELECT list_reduce(range(100000000), (a, b) -> hash(a + b) % 7)'],
  ['a sum as long as a number', ['TIME', 'MEMORY', 'SQL'], "SELECT length(printf('%1000000000d', 1))"],
  [
    '20,000 unions',
    ['TIME', 'MEMORY', 'SQL', 'WORKER_LOST'],
    `${'SELECT 1 UNION ALL '.repeat(20_000)}SELECT 1`,
  ],
  [
    'a deep expression',
    ['SQL', 'MEMORY', 'TIME', 'WORKER_LOST'],
    `SELECT ${'('.repeat(5000)}1${' + 1)'.repeat(5000)}`,
  ],
];

for (const [what, codes, sql] of bombs) {
  const engineFor = () => (codes.includes('TIME') ? hasty : narrow);
  test(`${what} ends with a clear error and no file, and a query beside it and the next one work`, async () => {
    const path = join(lake.folder, `${what}.csv`);
    const ended = run(engineFor(), sql, path).then(
      () => assert.fail('it succeeded'),
      (reason: unknown) => reason,
    );
    assert.equal(await run(engineFor(), 'SELECT count(*) FROM range(1000)', `${path}.beside`), 1);
    const error = await ended;
    assert.ok(error instanceof EngineError, String(error));
    assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`);
    assert.match(error.message, /^\w[^\n/]+$/);
    assert.ok(error.message.length < 1000);
    assert.ok(!existsSync(path));
    assert.equal(await run(narrow, 'SELECT 1', `${path}.next`), 1);
  });
}
