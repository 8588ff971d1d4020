/** A hanging process is detected and killed; its running task is distinguished from tasks that it never started. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../test/support/until.ts';
import { useEngine, workersOf } from './engine.fixture.ts';
import type { QueryOutcome } from './engine.ts';

const linuxOnly = { skip: process.platform !== 'linux' };
const never = new AbortController().signal;
const endless = 'SELECT count(*) FROM range(100000000) a(i), range(100000) b(j) WHERE hash(i + j) = 1';

const opened = useEngine({ silenceMaxMs: 3000 });

const pathOf = (name: string): string => join(opened.lake.folder, `${name}.csv`);

function query(name: string, sql: string, onProgress?: () => void): Promise<QueryOutcome> {
  const task = { statement: { sql, tables: [] }, tables: [], outputPath: pathOf(name) };
  return opened.engine.query(task, never, onProgress);
}

const stop = (pids: number[]): void => {
  assert.ok(pids.length > 0);
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
};

test(
  'a process that hangs at work is killed, its query fails as lost, and others go on',
  linuxOnly,
  async () => {
    const [pid = 0] = workersOf(process.pid, 'query');
    const { promise: works, resolve } = Promise.withResolvers<void>();
    const hanging = query('hanging', endless, resolve);
    await works;
    stop([pid]);
    const [failure, other] = await Promise.all([
      hanging.then(
        () => assert.fail('it succeeded'),
        (error: unknown) => error,
      ),
      query('other', 'SELECT 42 AS answer'),
    ]);
    assert.equal(Reflect.get(failure as object, 'code'), 'WORKER_LOST');
    assert.equal(other.rowCount, 1);
    assert.ok(!existsSync(pathOf('hanging')), 'nothing is left of it');
    assert.ok(!workersOf(process.pid, 'query').includes(pid), 'it is gone');
  },
);

test('a query that is given to a waiting process that hangs is done by another', linuxOnly, async () => {
  await until(() => workersOf(process.pid, 'query').length > 0, 'a process waits');
  stop(workersOf(process.pid, 'query'));
  assert.equal((await query('next', 'SELECT 42 AS answer')).rowCount, 1);
});

test(
  'a statement that is given to a guard that hangs is checked by another, and not blamed',
  linuxOnly,
  async () => {
    await until(() => workersOf(process.pid, 'guard').length > 0, 'the guard waits');
    stop(workersOf(process.pid, 'guard'));
    const checked = await opened.engine.check('select 1', []);
    assert.deepEqual(checked.tables, []);
  },
);

test(
  'a guard that something else kills while it reads a statement is replaced, and the statement not blamed',
  linuxOnly,
  async () => {
    const checks = Array.from({ length: 20 }, () =>
      opened.engine.check(`select ${'1 + '.repeat(500)} 1`, []),
    );
    for (const pid of workersOf(process.pid, 'guard')) process.kill(pid, 'SIGKILL');
    for (const { tables } of await Promise.all(checks)) assert.deepEqual(tables, []);
  },
);
