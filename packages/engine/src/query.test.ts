import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../test/support/until.ts';
import { useEngine, workersOf } from './engine.fixture.ts';
import {
  type EngineError,
  type QueryOutcome,
  type QueryProgress,
  type ResultFormat,
  resultFormats,
} from './engine.ts';

const opened = useEngine();
let runs = 0;

const linuxOnly = { skip: process.platform !== 'linux' };
const never = new AbortController().signal;
const endless = 'SELECT count(*) FROM range(100000000) a(i), range(100000) b(j) WHERE hash(i + j) = 1';

interface Started {
  path: string;
  done: Promise<QueryOutcome>;
}

/** Runs a statement as it is, as the guard's canonical text would be. */
function start(
  sql: string,
  signal = never,
  onProgress?: (progress: QueryProgress) => void,
  runTimeMaxMs?: number,
  format?: ResultFormat,
): Started {
  runs += 1;
  const path = join(opened.lake.folder, `result-${runs}.csv`);
  const statement = { sql, tables: ['variant', 'patient'] };
  const task = {
    statement,
    tables: opened.lake.tables,
    outputPath: path,
    ...(runTimeMaxMs && { runTimeMaxMs }),
    ...(format && { format }),
  };
  const done = opened.engine.query(task, signal, onProgress);
  return { path, done };
}

async function failure({ done }: Started): Promise<EngineError> {
  return await done.then(
    () => assert.fail('it succeeded'),
    (error) => error,
  );
}

/** A result that takes long to write, and is larger than is allowed. */
const large = 'SELECT i, hash(i) AS h, repeat(hash(i)::VARCHAR, 9) AS t FROM range(100000000) a(i)';

test('a query writes its CSV and returns rows, bytes and hash', async () => {
  const { path, done } = start(
    'SELECT gene, count(*) AS n FROM variant GROUP BY gene ORDER BY n DESC, gene LIMIT 2',
  );
  const outcome = await done;
  const csv = await readFile(path);
  assert.equal(csv.toString(), 'gene,n\nGENE0,91\nGENE1,91\n');
  assert.deepEqual(outcome, {
    rowCount: 2,
    size: csv.length,
    sha256: createHash('sha256').update(csv).digest('hex'),
  });
});

test('columns masked by a view stay masked in WHERE, JOIN and aggregates', async () => {
  const { path, done } = start(
    'SELECT count(name) AS names, count(*) AS n FROM patient JOIN variant USING (sample_id) WHERE name IS NULL',
  );
  await done;
  assert.equal(await readFile(path, 'utf8'), 'names,n\n0,1000\n');
});

test('an error at run time is reported without paths and without SQL of the service', async () => {
  for (const [sql, message] of [
    ['SELECT foo FROM variant', /^Referenced column "foo" not found in FROM clause!/],
    ['SELECT CAST(gene AS INTEGER) FROM variant', /^Could not convert string 'GENE0' to INT32/],
    ["SELECT error('mine')", /^mine$/],
    [
      'SELECT sum(gene) FROM variant',
      /^No function matches the given name and argument types 'sum\(VARCHAR\)'/,
    ],
  ] as const) {
    const started = start(sql);
    const error = await failure(started);
    assert.equal(error.code, 'SQL');
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /LINE|COPY|parquet|result-|\n/);
    assert.ok(!existsSync(started.path));
  }
});

test(
  'a cancelled query rejects with the reason and never leaves a result file or a process',
  linuxOnly,
  async () => {
    const cancel = new AbortController();
    const seen: QueryProgress[] = [];
    const started = start(endless, cancel.signal, (progress) => seen.push(progress));
    await until(() => seen.length > 0, 'progress is reported');
    const working = workersOf(process.pid, 'query');
    cancel.abort(new Error('cancelled by the test'));
    await assert.rejects(started.done, /cancelled by the test/);
    await until(
      () => workersOf(process.pid, 'query').filter((pid) => working.includes(pid)).length < working.length,
      'a process has ended',
    );
    await until(() => !existsSync(started.path), 'the result is gone');
    await start('SELECT 1').done;
  },
);

test('a query that is cancelled or too large while it writes leaves no file in any format', async () => {
  for (const format of resultFormats) {
    const cancel = new AbortController();
    const written = start(large, cancel.signal, undefined, undefined, format);
    const rejected = assert.rejects(written.done, /cancelled by the test/);
    await until(() => existsSync(written.path), 'the result is begun');
    cancel.abort(new Error('cancelled by the test'));
    await rejected;
    await until(() => !existsSync(written.path), 'the result is gone');
    const whole = start(large, never, undefined, undefined, format);
    assert.equal((await failure(whole)).code, 'RESULT_SIZE', format);
    assert.ok(!existsSync(whole.path));
  }
});

test('a query that is cancelled before its turn uses no process', async () => {
  await assert.rejects(start('SELECT 1', AbortSignal.abort(new Error('too early'))).done, /too early/);
});

test('queries beyond the limit wait for their turn, and can be cancelled while they wait', async () => {
  const first = new AbortController();
  const waiting = new AbortController();
  const begun = new Set<number>();
  const long = [1, 2].map((number) => start(endless, first.signal, () => begun.add(number)));
  await until(() => begun.size === 2, 'both queries run');
  const cancelled = start('SELECT 1', waiting.signal);
  const patient = start('SELECT 1');
  waiting.abort(new Error('gave up'));
  await assert.rejects(cancelled.done, /gave up/);
  first.abort(new Error('enough'));
  for (const { done } of long) await assert.rejects(done, /enough/);
  assert.equal((await patient.done).rowCount, 1);
});

// asvs: 15.2.2
test('a run time limit ends a query that runs too long, and does not count the wait for a turn', async () => {
  const first = new AbortController();
  const begun = new Set<string>();
  const long = start(endless, first.signal, () => begun.add('long'));
  const runTimeMaxMs = 1500;
  const limited = start(endless, never, () => begun.add('limited'), runTimeMaxMs);
  await until(() => begun.size === 2, 'both queries run');
  // Runs for the whole limit while the last query waits.
  const before = start(endless, never, undefined, runTimeMaxMs);
  const last = start('SELECT 1', never, undefined, runTimeMaxMs);
  assert.equal((await failure(limited)).code, 'TIME');
  assert.equal((await failure(before)).code, 'TIME');
  assert.equal((await last.done).rowCount, 1);
  first.abort(new Error('enough'));
  await assert.rejects(long.done, /enough/);
});

test(
  'a query whose process is killed while it writes ends WORKER_LOST and leaves no file; the next one works',
  linuxOnly,
  async () => {
    for (const format of resultFormats) {
      const started = start(large, never, undefined, undefined, format);
      await until(() => existsSync(started.path), 'the result is begun');
      for (const pid of workersOf(process.pid, 'query')) process.kill(pid, 'SIGKILL');
      const error = await failure(started);
      assert.equal(error.code, 'WORKER_LOST', format);
      assert.ok(!existsSync(started.path));
    }
    assert.equal((await start('SELECT 1').done).rowCount, 1);
  },
);

test('an idle process that is killed is replaced', linuxOnly, async () => {
  await until(() => workersOf(process.pid, 'query').length > 0, 'a process is idle');
  const idle = workersOf(process.pid, 'query');
  for (const pid of idle) process.kill(pid, 'SIGKILL');
  await until(
    () => workersOf(process.pid, 'query').some((pid) => !idle.includes(pid)),
    'another process has started',
  );
  await opened.engine.ready();
});

test('a process of the engine writes no core when it crashes', linuxOnly, async () => {
  await until(() => workersOf(process.pid, 'query').length > 0, 'a process is idle');
  const [pid] = workersOf(process.pid, 'query');
  assert.match(readFileSync(`/proc/${pid}/limits`, 'utf8'), /^Max core file size +0 +0 /m);
});

test('temporary folders go with their processes', async () => {
  await start('SELECT 1').done;
  const [own = ''] = readdirSync(join(opened.lake.folder, 'scratch'));
  await until(() => readdirSync(join(opened.lake.folder, 'scratch', own)).length <= 3, 'the folder is gone');
});
