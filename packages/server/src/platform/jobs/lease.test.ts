import assert from 'node:assert/strict';
import {
  noting,
  placesOfWork,
  work as plainWork,
  quickJobs,
  stateOf,
  untilStopped,
} from '../../../../../test/support/jobs.ts';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Records } from '../records/index.ts';
import type { JobRun } from './index.ts';
import type { JobEnd } from './jobs.ts';
import { lostMax } from './rows.ts';

const work = { ...plainWork, attemptsMax: 2 };

/** Makes a lease look as if its process had been silent for too long. */
const expire = (records: Records) =>
  records.transact((tx) =>
    tx.updateTable('jobs').set({ lease_until: 1 }).where('state', '=', 'running').execute(),
  );

testOnRecords(
  'a lease that ran out is taken again, and the old run can no longer record anything',
  async ({ open }) => {
    const records = await open();
    const jobs = quickJobs(records, { places: placesOfWork(2) });
    const runs: JobRun[] = [];
    jobs.handle(
      noting(async (run) => {
        runs.push(run);
        if (runs.length === 1) await untilStopped(run.signal);
      }),
    );
    await jobs.start();
    const id = await records.transact((tx) => jobs.add(tx, work));
    await until(() => runs.length === 1, 'it runs');
    const [old] = runs;
    assert.ok(old);
    assert.equal(await records.transact((tx) => old.holdsLease(tx)), true);
    await expire(records);
    await until(async () => (await stateOf(records, id)).state === 'succeeded', 'the second run ends it');
    // Its process lives: there is no evidence that the work ends processes.
    assert.deepEqual(await stateOf(records, id), { state: 'succeeded', attempts: 1 });
    assert.equal(await records.transact((tx) => old.holdsLease(tx)), false);
    await until(() => old.signal.aborted, 'the old run is reported');
    assert.equal(old.signal.reason, 'lease-lost');
    await jobs.stop();
    assert.equal(runs.length, 2);
  },
);

testOnRecords('a lost process is no attempt, until a job has lost as many as it may', async ({ open }) => {
  const records = await open();
  // Another process's runner, which dies: it is never stopped.
  const handler = noting(async () => undefined);
  const survivor = quickJobs(records);
  const failures: JobEnd[] = [];
  survivor.onEnd((end) => void (end.outcome === 'failed' && failures.push(end)));
  survivor.handle(handler);
  const add = async (lost: number): Promise<string> => {
    const id = await records.transact((tx) => survivor.add(tx, work));
    const killed = { state: 'running', attempts: 2, lost, owner: 'dead', lease: id, lease_until: 1 } as const;
    await records.transact((tx) => tx.updateTable('jobs').set(killed).where('id', '=', id).execute());
    return id;
  };
  const [last, first] = [await add(lostMax - 1), await add(0)];
  await survivor.start();
  await until(async () => (await stateOf(records, first)).state === 'succeeded', 'one is run again');
  await until(async () => (await stateOf(records, last)).state === 'failed', 'the other one failed');
  await until(() => failures.length === 1, 'the failure is counted');
  await survivor.stop();
  assert.equal((await stateOf(records, first)).attempts, 2, 'its last attempt was still to be had');
  assert.deepEqual(
    handler.exhausted.map((job) => [job.id, job.attempts, job.lost]),
    [[last, 2, lostMax]],
  );
  assert.deepEqual(
    failures.map(({ job, durationMs, reason }) => [job.id, durationMs, reason]),
    [[last, undefined, 'JOB_INTERRUPTED']],
  );
});

testOnRecords(
  "the sole process claims its predecessor's jobs at once; others wait for the lease",
  async ({ open }) => {
    const records = await open();
    const patient = quickJobs(records);
    const ran: string[] = [];
    const handler = noting(async ({ job }) => void ran.push(job.id));
    patient.handle(handler);
    const [left, fresh] = await records.transact(async (tx) => [
      await patient.add(tx, work),
      await patient.add(tx, work),
    ]);
    assert.ok(left && fresh);
    await records.transact((tx) =>
      tx
        .updateTable('jobs')
        .set({
          state: 'running',
          attempts: 1,
          owner: 'dead',
          lease: 'gone',
          lease_until: Date.now() + 3_600_000,
        })
        .where('id', '=', left)
        .execute(),
    );
    await patient.start();
    await until(async () => (await stateOf(records, fresh)).state === 'succeeded', 'the fresh one ends');
    await patient.stop();
    assert.deepEqual(ran, [fresh]);
    const sole = quickJobs(records, { soleProcess: true });
    sole.handle(handler);
    await sole.start();
    await until(async () => (await stateOf(records, left)).state === 'succeeded', 'the one left behind ends');
    await sole.stop();
  },
);

testOnRecords('a long run keeps its lease by its heartbeat', async ({ open }) => {
  const records = await open();
  const [jobs, rival] = [quickJobs(records, { leaseMs: 600 }), quickJobs(await open(), { leaseMs: 600 })];
  let runs = 0;
  const renewals = new Set<number>();
  const handler = noting(async ({ signal }) => {
    runs += 1;
    await until(async () => {
      const row = await records.read.selectFrom('jobs').select('lease_until').executeTakeFirstOrThrow();
      renewals.add(row.lease_until ?? 0);
      // Longer than one lease lasts.
      return renewals.size > 6 || signal.aborted;
    }, 'the lease is prolonged');
  });
  jobs.handle(handler);
  rival.handle(handler);
  await jobs.start();
  await rival.start();
  const id = await records.transact((tx) => jobs.add(tx, work));
  await until(async () => (await stateOf(records, id)).state === 'succeeded', 'it ends');
  await Promise.all([jobs.stop(), rival.stop()]);
  assert.equal(runs, 1);
});

testOnRecords('a process that stalls longer than its lease stops its runs', async ({ open }) => {
  const records = await open();
  const jobs = quickJobs(records, { leaseMs: 200 });
  let reason: unknown;
  let calls = 0;
  jobs.handle(
    noting(async ({ signal }) => {
      calls += 1;
      if (calls > 1) return;
      const stopped = untilStopped(signal);
      const stalledUntil = performance.now() + 400;
      while (performance.now() < stalledUntil);
      await stopped.catch((error) => {
        reason = error;
      });
    }),
  );
  await jobs.start();
  const id = await records.transact((tx) => jobs.add(tx, work));
  await until(async () => (await stateOf(records, id)).state === 'succeeded', 'it is run again');
  await jobs.stop();
  assert.equal(reason, 'lease-lost');
  assert.equal(calls, 2);
});
