import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { WorkerPool } from './pool.ts';
import type { WorkerProcess } from './worker-process.ts';

/** Start of processes in a pool, and their assignment to tasks. */

/** Waits until the continuations of settled promises have run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

interface Started {
  process: WorkerProcess;
  isStopped: boolean;
  /** Settles the start of the process: ready, or failed. */
  ready(error?: Error): Promise<unknown>;
}

/** Pool with a stopped clock, and the processes that it has started. Each is discarded after its task. */
async function poolOf(t: TestContext, idleWorkers: number, concurrentMax: number) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const started: Started[] = [];
  const start = (): Promise<WorkerProcess> => {
    const made = Promise.withResolvers<WorkerProcess>();
    const ended = Promise.withResolvers<void>();
    const stop = async () => {
      one.isStopped = true;
      ended.resolve();
    };
    const one: Started = {
      process: { exited: ended.promise, stop, tasksDone: 1 } as unknown as WorkerProcess,
      isStopped: false,
      ready: (error) => {
        if (error) made.reject(error);
        else made.resolve(one.process);
        return settled();
      },
    };
    started.push(one);
    return made.promise;
  };
  const limits = { idleWorkers, concurrentMax, tasksMax: 1, keptMaxBytes: 0, restingMaxBytes: 0 };
  const pool = new WorkerPool(start, limits);
  const opened = pool.open();
  for (const one of started) await one.ready();
  await opened;
  const cleanUp = async () => undefined;
  const use = <T>(task: (worker: WorkerProcess) => Promise<T>, signal = new AbortController().signal) =>
    pool.use(signal, task, cleanUp);
  /** Long enough for a process to start in the place of another. */
  const pass = async () => {
    t.mock.timers.tick(100);
    await settled();
  };
  /** Closes the pool; what starts becomes ready meanwhile. */
  const close = async () => {
    const closed = pool.close();
    for (const one of started) await one.ready();
    await closed;
  };
  return { pool: { close }, started, use, pass };
}

/** Task that runs until the test ends it. */
function task() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { run: () => promise, end: resolve, fail: reject };
}

test('no process starts beside a task while another waits; when it has ended one takes its place at once', async (t) => {
  const { pool, started, use, pass } = await poolOf(t, 2, 3);
  const one = task();
  const done = use(one.run);
  await settled();
  await pass();
  assert.equal(started.length, 2);
  one.end();
  await done;
  await settled();
  assert.equal(started[0]?.isStopped, true);
  assert.equal(started.length, 3);
  await started[2]?.ready();
  await pass();
  assert.equal(started.length, 3);
  await pool.close();
});

test('a process waits for the next turn while all turns are taken', async (t) => {
  const { pool, started, use, pass } = await poolOf(t, 2, 2);
  const tasks = [task(), task()];
  const done = tasks.map(({ run }) => use(run));
  await settled();
  await pass();
  assert.equal(started.length, 3);
  await started[2]?.ready();
  await pass();
  assert.equal(started.length, 3);
  for (const { end } of tasks) end();
  await Promise.all(done);
  await pool.close();
});

test('a process takes the place of one whose task was cancelled, or failed, or that ended while it waited', async (t) => {
  const { pool, started, use, pass } = await poolOf(t, 1, 1);
  const controller = new AbortController();
  const cancelled = use((): Promise<never> => {
    const { promise, reject } = Promise.withResolvers<never>();
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason));
    return promise;
  }, controller.signal);
  await settled();
  controller.abort(new Error('cancelled'));
  await assert.rejects(cancelled, /cancelled/);
  await pass();
  await started[1]?.ready();
  await assert.rejects(
    use(() => Promise.reject(new Error('the process ended'))),
    /the process ended/,
  );
  await pass();
  await started[2]?.ready();
  await started[2]?.process.stop();
  await settled();
  assert.equal(started.length, 4);
  await started[3]?.ready();
  assert.equal(await use(async (worker) => worker), started[3]?.process);
  await pool.close();
});

test('a task that finds no process gets the one that starts already', async (t) => {
  const { pool, started, next } = await taskBehindRefill(t);
  await started[1]?.ready();
  assert.equal(await next, started[1]?.process);
  await pool.close();
});

test('a task that finds none, and none that starts, waits for no moment', async (t) => {
  const { pool, started, use } = await poolOf(t, 1, 1);
  await use(async () => undefined);
  await settled();
  const next = use(async (worker) => worker);
  await settled();
  assert.equal(started.length, 2);
  await started[1]?.ready();
  assert.equal(await next, started[1]?.process);
  await pool.close();
});

test('ten tasks at once all run, each in a process of its own, no more of them together than may', async (t) => {
  const { pool, started, use } = await poolOf(t, 2, 3);
  let working = 0;
  let most = 0;
  const tasks = Array.from({ length: 10 }, () =>
    use(async (worker) => {
      working += 1;
      most = Math.max(most, working);
      await settled();
      working -= 1;
      return worker;
    }),
  );
  let isOver = false;
  const all = Promise.all(tasks).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    for (const one of started) await one.ready();
    await settled();
  }
  assert.equal(new Set(await all).size, 10);
  assert.ok(most <= 3, `${most} at once`);
  await pool.close();
});

test('a process that does not start fails the task that waits for it, and no other', async (t) => {
  const { pool, started, use } = await poolOf(t, 0, 2);
  const tasks = [use(async (worker) => worker), use(async (worker) => worker)];
  await settled();
  assert.equal(started.length, 2);
  const reported = assert.rejects(tasks[0] as Promise<unknown>, /no memory/);
  await started[0]?.ready(new Error('no memory'));
  await reported;
  await started[1]?.ready();
  assert.equal(await tasks[1], started[1]?.process);
  await pool.close();
});

test('a task that waits for a spare process gets one of its own when that does not start', async (t) => {
  const { pool, started, next } = await taskBehindRefill(t);
  await started[1]?.ready(new Error('no memory'));
  assert.equal(started.length, 3);
  await started[2]?.ready();
  assert.equal(await next, started[2]?.process);
  await pool.close();
});

test('a process that does not start is tried again, also without a task', async (t) => {
  const { pool, started, use, pass } = await poolOf(t, 1, 1);
  await use(async () => undefined);
  await settled();
  await pass();
  await started[1]?.ready(new Error('no memory'));
  t.mock.timers.tick(1000);
  await settled();
  assert.equal(started.length, 3);
  await started[2]?.ready();
  await pool.close();
});

test('a process that does not start after another has served its task is replaced, also without a task', async (t) => {
  const { pool, started, use, pass } = await poolOf(t, 1, 3);
  const long = task();
  const running = use(long.run);
  await settled();
  const served = use(async (worker) => worker);
  await settled();
  await pass();
  assert.equal(started.length, 3);
  await started[2]?.ready();
  assert.equal(await served, started[2]?.process);
  long.end();
  await running;
  await settled();
  await started[1]?.ready(new Error('killed'));
  t.mock.timers.tick(1000);
  await settled();
  assert.equal(started.length, 4);
  await started[3]?.ready();
  await pool.close();
});

test('a process for which the one who waited was cancelled goes to the next', async (t) => {
  const { pool, started, use } = await poolOf(t, 0, 2);
  const controller = new AbortController();
  const first = use(async () => undefined, controller.signal);
  const second = use(async (worker) => worker);
  await settled();
  controller.abort(new Error('cancelled'));
  await assert.rejects(first, /cancelled/);
  await started[0]?.ready();
  assert.equal(await second, started[0]?.process);
  await started[1]?.ready();
  assert.equal(started[1]?.isStopped, true);
  await pool.close();
});

test('closing the engine rejects waiting callers and ends their processes', async (t) => {
  const { pool, started, use } = await poolOf(t, 0, 1);
  const reported = assert.rejects(
    use(async () => undefined),
    /closed/,
  );
  await settled();
  const closed = pool.close();
  await started[0]?.ready();
  await reported;
  await closed;
  assert.equal(started[0]?.isStopped, true);
});

test('nothing starts after the end', async (t) => {
  const { pool, started, use, pass } = await poolOf(t, 1, 1);
  await use(async () => undefined);
  await settled();
  await pool.close();
  const { length } = started;
  await pass();
  assert.equal(started.length, length);
});

/** Returns a task that finds no process, but one that starts in the place of the last. */
async function taskBehindRefill(t: TestContext) {
  const { pool, started, use, pass } = await poolOf(t, 1, 2);
  await use(async () => undefined);
  await settled();
  await pass();
  const next = use(async (worker) => worker);
  await settled();
  assert.equal(started.length, 2);
  return { pool, started, next };
}
