import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Lake, makeLake, openEngine } from './engine.fixture.ts';
import { type Engine, EngineError } from './engine.ts';

const mebibyte = 1024 ** 2;
let lake: Lake;
/** Its space is narrow. */
let narrow: Engine;
/** Its time is short. */
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
  hasty = await openEngine(lake.folder, { query: { ...query, runTimeMaxMs: 1000 } });
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

const bombs: [string, EngineError['code'][], string][] = [
  ['one huge text', ['MEMORY'], "SELECT length(repeat('x', 4000000000))"],
  [
    'many large texts',
    ['MEMORY', 'DISK'],
    "SELECT length(string_agg(repeat('x', 1000), '')) FROM range(1000000)",
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
  ['an endless result', ['RESULT_SIZE'], "SELECT i, repeat('x', 100) FROM range(1000000000) r(i)"],
];

for (const [what, codes, sql] of bombs) {
  const engineFor = () => (codes.includes('TIME') ? hasty : narrow);
  test(`${what} ends with a clear error and no file, and the next query works`, async () => {
    const path = join(lake.folder, `${what}.csv`);
    const error = await run(engineFor(), sql, path).then(
      () => assert.fail('it succeeded'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof EngineError, String(error));
    assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`);
    assert.match(error.message, /^[A-Z][^\n/]+\.$/);
    assert.ok(!existsSync(path));
    assert.equal(await run(narrow, 'SELECT 1', `${path}.next`), 1);
  });
}
