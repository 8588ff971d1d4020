import assert from 'node:assert/strict';
import {
  noting,
  placesOfWork,
  quickJobs,
  stateOf,
  untilStopped,
  work,
} from '../../../../../test/support/jobs.ts';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';
import type { JobStop } from './index.ts';

testOnRecords('four runners claim each of 200 jobs exactly once', async ({ open }) => {
  const runs: string[] = [];
  const runners = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const jobs = quickJobs(await open({ connectionsMax: 4 }), { places: placesOfWork(3) });
      jobs.handle(noting(async ({ job }) => void runs.push(job.id)));
      return jobs;
    }),
  );
  const records = await open();
  const [first] = runners;
  assert.ok(first);
  const ids = await Promise.all(
    Array.from({ length: 200 }, (_, number) =>
      records.transact((tx) => first.add(tx, { ...work, exclusiveKey: `k${number % 7}` })),
    ),
  );
  await Promise.all(runners.map((jobs) => jobs.start()));
  await until(async () => (await first.stats()).length === 0, 'all jobs ended');
  await Promise.all(runners.map((jobs) => jobs.stop()));
  assert.deepEqual([...runs].sort(), [...ids].sort());
  const states = await records.read.selectFrom('jobs').select('state').distinct().execute();
  assert.deepEqual(states, [{ state: 'succeeded' }]);
});

testOnRecords(
  'a job is run as soon as the transaction that added it has committed, and not if it has not',
  async ({ open }) => {
    const records = await open();
    // No poll would come in time: only the news of the commit can start it.
    const jobs = quickJobs(records, { pollMs: 3_600_000 });
    const seen: Record<string, string>[] = [];
    jobs.handle(noting(async ({ job }) => void seen.push(job.payload)));
    await jobs.start();
    await assert.rejects(
      records.transact(async (tx) => {
        await jobs.add(tx, { ...work, payload: { file: 'lost' } });
        throw new Error('no');
      }),
    );
    await records.transact((tx) => jobs.add(tx, { ...work, payload: { file: 'kept' } }));
    await until(() => seen.length > 0, 'the job ran');
    await jobs.stop();
    assert.deepEqual(seen, [{ file: 'kept' }]);
  },
);

testOnRecords('a cancel aborts the run in whatever process and the job stays cancelled', async ({ open }) => {
  const records = await open();
  const [here, there] = [quickJobs(records), quickJobs(await open())];
  let reason: JobStop | undefined;
  let started = false;
  there.handle(
    noting(async ({ signal }) => {
      started = true;
      await untilStopped(signal).catch((error: JobStop) => {
        reason = error;
      });
    }),
  );
  await there.start();
  const id = await records.transact((tx) => here.add(tx, work));
  await until(() => started, 'the job runs');
  await records.transact((tx) => here.cancel(tx, id));
  await until(() => reason !== undefined, 'the run is reported');
  await there.stop();
  assert.equal(reason, 'cancelled');
  assert.deepEqual(await stateOf(records, id), { state: 'cancelled', attempts: 1 });
});

testOnRecords(
  'a job that was cancelled while it waited never runs, nor does an ended one change',
  async ({ open }) => {
    const records = await open();
    const jobs = quickJobs(records);
    const ran: string[] = [];
    jobs.handle(noting(async ({ job }) => void ran.push(job.id)));
    const [waiting, other] = await records.transact(async (tx) => [
      await jobs.add(tx, work),
      await jobs.add(tx, work),
    ]);
    assert.ok(waiting && other);
    await records.transact((tx) => jobs.cancel(tx, waiting));
    await jobs.start();
    await until(async () => (await stateOf(records, other)).state === 'succeeded', 'the other one ends');
    await records.transact((tx) => jobs.cancel(tx, other));
    await jobs.stop();
    assert.deepEqual(ran, [other]);
    assert.equal((await stateOf(records, other)).state, 'succeeded');
    assert.equal((await stateOf(records, waiting)).state, 'cancelled');
  },
);

testOnRecords(
  'a failing job is tried attemptsMax times and then reported as exhausted, once',
  async ({ open }) => {
    const records = await open();
    const jobs = quickJobs(records);
    const attempts: number[] = [];
    const handler = noting(async ({ job }) => {
      attempts.push(job.attempts);
      throw new Error('broken input of a patient');
    });
    jobs.handle(handler);
    await jobs.start();
    const id = await records.transact((tx) => jobs.add(tx, { ...work, attemptsMax: 3 }));
    await until(() => handler.exhausted.length > 0, 'it is exhausted');
    await until(async () => (await stateOf(records, id)).state === 'failed', 'it failed');
    await jobs.stop();
    assert.deepEqual(attempts, [1, 2, 3]);
    assert.equal(handler.exhausted.length, 1);
    const { failure } = await records.read.selectFrom('jobs').select('failure').executeTakeFirstOrThrow();
    assert.equal(failure, 'INTERNAL', 'the row holds a code and not the message');
  },
);

testOnRecords(
  'a kind waits between its attempts for the time of its handler, fractions too',
  async ({ open }) => {
    const records = await open();
    // The queue's own wait would never end.
    const jobs = quickJobs(records, { retryDelayMs: () => 3_600_000 });
    const handler = noting(async () => {
      throw new Error('not yet');
    });
    const waits: number[] = [];
    const retryDelayMs = (attempts: number) => {
      waits.push(attempts);
      return attempts * 1.25;
    };
    jobs.handle({ ...handler, retryDelayMs });
    await jobs.start();
    await records.transact((tx) => jobs.add(tx, { ...work, attemptsMax: 3 }));
    await until(() => handler.exhausted.length > 0, 'it is exhausted');
    await jobs.stop();
    assert.deepEqual(waits, [1, 2, 3]);
  },
);

testOnRecords('stopping hands leases back and does not count the attempt', async ({ open }) => {
  const records = await open();
  const stopped = quickJobs(records, { places: placesOfWork(2) });
  const reasons: unknown[] = [];
  stopped.handle(
    noting(async ({ signal }) => untilStopped(signal).catch((reason) => void reasons.push(reason))),
  );
  await stopped.start();
  const id = await records.transact((tx) => stopped.add(tx, work));
  await until(async () => (await stateOf(records, id)).state === 'running', 'it runs');
  await stopped.stop();
  assert.deepEqual(reasons, ['shutdown']);
  assert.deepEqual(await stateOf(records, id), { state: 'queued', attempts: 0 });

  const next = quickJobs(await open());
  next.handle(noting(async () => undefined));
  await next.start();
  await until(async () => (await stateOf(records, id)).state === 'succeeded', 'another process ends it');
  await next.stop();
});

testOnRecords(
  'a job does not start before its time, and the newest of a kind without handler waits',
  async ({ open }) => {
    const records = await open();
    const jobs = quickJobs(records);
    const ran: string[] = [];
    jobs.handle(noting(async ({ job }) => void ran.push(job.id)));
    const ids = await records.transact(async (tx) => ({
      later: await jobs.add(tx, { ...work, notBefore: Date.now() + 3_600_000 }),
      soon: await jobs.add(tx, { ...work, notBefore: Date.now() + 30 }),
      foreign: await jobs.add(tx, { ...work, kind: 'foreign' }),
    }));
    await jobs.start();
    await until(() => ran.length > 0, 'one ran');
    await until(async () => (await stateOf(records, ids.soon)).state === 'succeeded', 'its end is recorded');
    await jobs.stop();
    assert.deepEqual(ran, [ids.soon]);
    assert.deepEqual(
      (await jobs.stats())
        .sort((a, b) => (a.kind < b.kind ? -1 : 1))
        .map(({ dueSince, ...one }) => ({ ...one, isDue: typeof dueSince === 'number' })),
      [
        { kind: 'foreign', state: 'queued', count: 1, isDue: true },
        { kind: 'work', state: 'queued', count: 1, isDue: false },
      ],
    );
  },
);

testOnRecords(
  'a job that waits already is not added again: it runs after all who wanted it; one that runs is',
  async ({ open }) => {
    const records = await open();
    const jobs = quickJobs(records);
    const going = Promise.withResolvers<void>();
    const runs: string[] = [];
    jobs.handle(
      noting(async ({ job }) => {
        runs.push(job.id);
        await going.promise;
      }),
    );
    const wanted = { ...work, exclusiveKey: 'a', unlessWaiting: true } as const;
    const add = (more: object = {}) => records.transact((tx) => jobs.add(tx, { ...wanted, ...more }));
    const first = await add();
    assert.equal(await add(), first);
    assert.notEqual(await add({ exclusiveKey: 'b' }), first);
    await jobs.start();
    await until(() => runs.includes(first), 'the first one runs');
    const next = await add();
    assert.notEqual(next, first);
    assert.equal(await add(), next);
    going.resolve();
    await until(() => runs.length === 3, 'all ran');
    await jobs.stop();
    assert.equal(runs.at(-1), next);
  },
);

testOnRecords('a job that waits is not taken before those who wanted it have committed', async ({ open }) => {
  const records = await open({ connectionsMax: 4 });
  const jobs = quickJobs(records);
  const markers = (read: Pick<typeof records.read, 'selectFrom'>) =>
    read.selectFrom('jobs').select('id').where('kind', '=', 'marker').execute();
  const seen: number[] = [];
  jobs.handle(noting(async () => void seen.push((await markers(records.read)).length)));
  const wanted = { ...work, exclusiveKey: 'a', unlessWaiting: true } as const;
  await records.transact((tx) => jobs.add(tx, wanted));
  const asked = Promise.withResolvers<void>();
  const asking = records.transact(async (tx) => {
    await jobs.add(tx, wanted);
    asked.resolve();
    // Time in which it would be taken.
    for (let round = 0; round < 50; round += 1) await markers(tx);
    await jobs.add(tx, { ...work, kind: 'marker' });
  });
  await asked.promise;
  await jobs.start();
  await asking;
  await until(() => seen.length > 0, 'it ran');
  await jobs.stop();
  assert.deepEqual(seen, [1]);
});
