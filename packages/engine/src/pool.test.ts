import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { WorkerPool } from './pool.ts';
import type { WorkerProcess } from './worker-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-pool-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const limits = { idleWorkers: 0, concurrentMax: 1, tasksMax: 1, keptMaxBytes: 0, restingMaxBytes: 0 };
const worker = { stop: async () => undefined, tasksDone: 1 } as unknown as WorkerProcess;

test('an abort at whatever moment ends a task, and the next has its turn', async () => {
  for (let moment = 0; moment < 12; moment += 1) {
    const pool = new WorkerPool(async () => worker, limits);
    const controller = new AbortController();
    let isCleanedUp = false;
    const run = (): Promise<never> => {
      const { promise, reject } = Promise.withResolvers<never>();
      if (controller.signal.aborted) reject(controller.signal.reason);
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason));
      return promise;
    };
    const cleanUp = async () => {
      isCleanedUp = true;
    };
    const aborted = pool.use(controller.signal, run, cleanUp);
    for (let turn = 0; turn < moment; turn += 1) await Promise.resolve();
    controller.abort(new Error('cancelled'));
    await assert.rejects(aborted, /cancelled/, `after ${moment} turns`);
    assert.equal(await pool.use(new AbortController().signal, async () => 'next', cleanUp), 'next');
    assert.equal(isCleanedUp, true, `after ${moment} turns`);
    await pool.close();
  }
});

test('a failed clean-up blocks no later turn and is reported to its caller', async () => {
  const pool = new WorkerPool(async () => worker, limits);
  const { signal } = new AbortController();
  const fail = async () => Promise.reject(new Error('it failed'));
  const full = async () => Promise.reject(new Error('the disk does not take it'));
  await assert.rejects(pool.use(signal, fail, full), /the disk does not take it/);
  assert.equal(await pool.use(signal, async () => 'next', full), 'next');
  await pool.close();
});

/** Returns a process that answers as if it were resident with so many bytes, and whether it was ended. */
function workerOf(bytes: () => number) {
  const { promise: exited, resolve } = Promise.withResolvers<void>();
  const state = { isStopped: false, tasksDone: 0, hasLowPriority: false };
  const stop = async () => {
    state.isStopped = true;
    resolve();
  };
  const process = { exited, stop, residentBytes: async () => bytes() };
  Object.defineProperty(process, 'tasksDone', { get: () => state.tasksDone });
  Object.defineProperty(process, 'hasLowPriority', { get: () => state.hasLowPriority });
  return { state, process: process as unknown as WorkerProcess };
}

/** Returns a pool that has done one task, and its processes in the order of their start. `bytes`: of each, resident. */
async function poolAfterTask(t: TestContext, bytes: () => number) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const started: ReturnType<typeof workerOf>[] = [];
  const start = async () => {
    const one = workerOf(bytes);
    started.push(one);
    return one.process;
  };
  const pool = new WorkerPool(start, {
    idleWorkers: 1,
    concurrentMax: 1,
    tasksMax: 50,
    keptMaxBytes: 600,
    restingMaxBytes: 200,
  });
  await pool.open();
  const task = async (worker: WorkerProcess) => {
    const place = started.findIndex(({ process }) => process === worker);
    (started[place] as (typeof started)[0]).state.tasksDone += 1;
    return place;
  };
  const run = async () => {
    const place = await pool.use(new AbortController().signal, task, async () => undefined);
    await settled();
    return place;
  };
  await run();
  return { pool, started, run };
}

/** Waits until the continuations of settled promises have run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a large process runs a task that follows soon', async (t) => {
  const { pool, started, run } = await poolAfterTask(t, () => 400);
  t.mock.timers.tick(29_000);
  assert.equal(await run(), 0);
  // The timer of the previous task.
  t.mock.timers.tick(2000);
  await settled();
  assert.equal(await run(), 0);
  assert.equal(started.length, 1);
  await pool.close();
});

test('a process whose priority was lowered does no other task', async (t) => {
  const { pool, started, run } = await poolAfterTask(t, () => 100);
  (started[0] as (typeof started)[0]).state.hasLowPriority = true;
  assert.equal(await run(), 0);
  assert.equal(started[0]?.state.isStopped, true);
  assert.equal(await run(), 1);
  await pool.close();
});

test('a large process without a task is ended, and a new one waits in its place', async (t) => {
  const { pool, started, run } = await poolAfterTask(t, () => 400);
  t.mock.timers.tick(30_000);
  await settled();
  assert.deepEqual(
    started.map(({ state }) => state.isStopped),
    [true, false],
  );
  assert.equal(await run(), 1);
  await pool.close();
});

test('a small process waits as long as it is not needed', async (t) => {
  const { pool, started, run } = await poolAfterTask(t, () => 200);
  t.mock.timers.tick(3_600_000);
  await settled();
  assert.equal(await run(), 0);
  assert.equal(started.length, 1);
  await pool.close();
});

test('processes that worked at once wait for a while, then as many as shall', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const started: ReturnType<typeof workerOf>[] = [];
  const start = async () => {
    const one = workerOf(() => 100);
    started.push(one);
    return one.process;
  };
  const kept = { idleWorkers: 1, tasksMax: 50, keptMaxBytes: 600, restingMaxBytes: 200 };
  const pool = new WorkerPool(start, { ...kept, concurrentMax: 3 });
  await pool.open();
  const workThree = async () => {
    const gate = Promise.withResolvers<void>();
    const all = Array.from({ length: 3 }, () =>
      pool.use(
        new AbortController().signal,
        async (worker) => {
          const one = started.find(({ process }) => process === worker);
          if (one) one.state.tasksDone += 1;
          await gate.promise;
        },
        async () => undefined,
      ),
    );
    await settled();
    gate.resolve();
    await Promise.all(all);
    await settled();
  };
  await workThree();
  t.mock.timers.tick(4000);
  await workThree();
  assert.equal(started.length, 3);
  t.mock.timers.tick(5000);
  await settled();
  assert.equal(started.filter(({ state }) => state.isStopped).length, 2);
  await pool.close();
});

test('a process above what is kept does no other task', async (t) => {
  const { pool, started, run } = await poolAfterTask(t, () => 601);
  assert.equal(started[0]?.state.isStopped, true);
  assert.equal(await run(), 1);
  await pool.close();
});

test('a process that the system does not make fails its task, not the service', {
  skip: process.platform !== 'linux',
}, () => {
  const script = join(folder, 'without-descriptors.ts');
  const module = pathToFileURL(join(import.meta.dirname, 'worker-process.ts')).href;
  writeFileSync(
    script,
    `import { openSync } from 'node:fs';
const { WorkerProcess } = await import('${module}');
// The first one finds all modules loaded that it needs to fail.
let code = '';
while (code === '') try { openSync('/dev/null', 'r'); } catch (error) { code = (error as { code: string }).code; }
console.log(code);
const options = { scratchFolder: '${folder}', script: 'answer', memoryMaxBytes: 1, threads: 1, temporaryMaxBytes: 1, dataMaxBytes: 1, silenceMaxMs: 1000 };
await WorkerProcess.start(options).catch((error: Error & { code: string }) => console.log(error.code));
// An unhandled error would have ended the process by the next turn.
await new Promise(setImmediate);
console.log('alive');
`,
  );
  const limited = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, script];
  const { stdout, stderr } = spawnSync('/bin/sh', limited, { encoding: 'utf8' });
  assert.equal(stdout, 'EMFILE\nWORKER_LOST\nalive\n', stderr);
});
