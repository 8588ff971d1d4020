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
import type { Whose } from './admission.ts';
import type { JobRun } from './jobs.ts';

const of = (user: string): Whose => ({ account: 'a', project: 'p', user });

testOnRecords(
  'a long run is set aside once for the short work of another user, and runs again later, uncounted',
  async ({ open }) => {
    const records = await open();
    const places = placesOfWork(2, { shortMax: 1, shortMs: 30 });
    const jobs = quickJobs(records, { places });
    const runs = new Map<string, JobRun[]>();
    const gate = Promise.withResolvers<void>();
    let isFree = false;
    jobs.handle(
      noting(async (run) => {
        const name = run.job.payload['name'] ?? '';
        runs.set(name, [...(runs.get(name) ?? []), run]);
        if (name === 'short') await gate.promise;
        if (name.startsWith('long') && !isFree) await untilStopped(run.signal);
      }),
    );
    const add = (name: string, user: string) =>
      records.transact((tx) => jobs.add(tx, { ...work, payload: { name }, whose: of(user) }));
    await jobs.start();
    const ids = [await add('long-1', 'busy'), await add('long-2', 'busy')];
    await until(() => runs.size === 2, 'both places are taken');
    const short = await add('short', 'calm');
    await until(() => runs.has('short'), 'the short one has a place');
    const states = await Promise.all(ids.map((id) => stateOf(records, id)));
    assert.deepEqual(states.map(({ state }) => state).toSorted(), ['queued', 'running']);
    const [lost = ''] = ids.filter((_, at) => states[at]?.state === 'queued');
    const row = await records.read
      .selectFrom('jobs')
      .select(['is_long', 'set_aside', 'attempts', 'lease'])
      .where('id', '=', lost)
      .executeTakeFirstOrThrow();
    assert.deepEqual({ ...row }, { is_long: 1, set_aside: 1, attempts: 0, lease: null });
    const first = [...runs.values()].flat().find(({ job }) => job.id === lost);
    assert.equal(first?.signal.reason, 'set-aside');
    assert.equal(await records.transact(async (tx) => first?.holdsLease(tx)), false);
    assert.equal((await jobs.waiting(ids)).get(lost)?.position, 1);
    gate.resolve();
    await until(async () => (await stateOf(records, lost)).state === 'running', 'it runs again');
    // The next job gets the place of the run that was not set aside yet; the place then stays empty.
    const kept = ids.find((id) => id !== lost) ?? '';
    const next = await add('next', 'calm');
    await until(async () => (await stateOf(records, next)).state === 'succeeded', 'the next one ended');
    assert.equal((await stateOf(records, short)).state, 'succeeded');
    assert.equal((await stateOf(records, kept)).state, 'queued');
    assert.equal((await stateOf(records, lost)).state, 'running');
    isFree = true;
    await records.transact((tx) => jobs.cancel(tx, lost));
    await until(async () => (await stateOf(records, kept)).state === 'succeeded', 'it ran again');
    assert.equal((await stateOf(records, kept)).attempts, 1);
    await jobs.stop();
  },
);

testOnRecords(
  "a run yields to others who wait for long, not to its own user's work; a cancelled one stays ended",
  async ({ open }) => {
    const records = await open();
    const jobs = quickJobs(records, { places: placesOfWork(1, { shortMs: 0, yieldMs: 60 }) });
    const order: string[] = [];
    jobs.handle(
      noting(async ({ job, signal }) => {
        const name = job.payload['name'] ?? '';
        order.push(name);
        if (name === 'long') await untilStopped(signal);
      }),
    );
    const add = (name: string, user: string) =>
      records.transact((tx) => jobs.add(tx, { ...work, payload: { name }, whose: of(user) }));
    await jobs.start();
    const long = await add('long', 'busy');
    await until(() => order.length === 1, 'it runs');
    const own = await add('own', 'busy');
    const other = await add('other', 'calm');
    await until(async () => (await stateOf(records, other)).state === 'succeeded', 'the other had its turn');
    assert.deepEqual(order.slice(0, 2), ['long', 'other']);
    await until(() => order.length === 3, 'the long one runs again');
    assert.equal(order[2], 'long');
    await records.transact((tx) => jobs.cancel(tx, long));
    await until(async () => (await stateOf(records, own)).state === 'succeeded', 'then its own');
    assert.equal((await stateOf(records, long)).state, 'cancelled');
    await jobs.stop();
  },
);

testOnRecords(
  'requests of callers take places with jobs, in one order, and yield to short work as jobs do',
  async ({ open }) => {
    const records = await open();
    const places = placesOfWork(2, { shortMax: 1, shortMs: 30 });
    const jobs = quickJobs(records, { places });
    let hasRun = false;
    jobs.handle(
      noting(async () => {
        hasRun = true;
      }),
    );
    await jobs.start();
    const leave = new AbortController();
    const starts: string[] = [];
    const request = (user: string, leaves = leave.signal) =>
      places.query?.use(of(user), leaves, async (signal) => {
        starts.push(user);
        if (user === 'busy') await untilStopped(signal);
      });
    const held = [request('busy'), request('busy')].map((one) => one?.catch((error: unknown) => error));
    await until(() => starts.length === 2, 'both places are taken');
    await request('calm');
    await records.transact((tx) => jobs.add(tx, { ...work, whose: of('third') }));
    await until(() => hasRun, 'a job has a place');
    assert.deepEqual(starts.slice(0, 3), ['busy', 'busy', 'calm']);
    leave.abort(new Error('gone'));
    for (const one of held) assert.match(String(await one), /gone/);
    await request('calm', new AbortController().signal);
    await jobs.stop();
  },
);

testOnRecords(
  'requests of one user that follow each other leave the next place to a job',
  async ({ open }) => {
    const records = await open();
    const places = placesOfWork(1);
    const jobs = quickJobs(records, { places });
    let isDone = false;
    let before = 0;
    jobs.handle(
      noting(async () => {
        isDone = true;
      }),
    );
    await jobs.start();
    const { signal } = new AbortController();
    let isAdded = false;
    const loop = async () => {
      while (!isDone)
        await places.query?.use({ account: 'b', project: 'q', user: 'busy' }, signal, async () => {
          if (isAdded) before += 1;
          await new Promise((resolve) => setImmediate(resolve));
        });
    };
    const loops = [loop(), loop()];
    await records.transact((tx) => jobs.add(tx, { ...work, whose: of('calm') }));
    isAdded = true;
    await until(() => isDone, 'the job had a place');
    await Promise.all(loops);
    assert.ok(before <= 20, `${before} requests came first`);
    await jobs.stop();
  },
);

testOnRecords('the older work of two users without use has the next place', async ({ open }) => {
  const records = await open();
  const places = placesOfWork(1);
  const jobs = quickJobs(records, { places });
  const order: string[] = [];
  jobs.handle(noting(async () => void order.push('job')));
  await jobs.start();
  const { signal } = new AbortController();
  const gate = Promise.withResolvers<void>();
  const held = places.query?.use(of('one'), signal, () => gate.promise);
  await records.transact((tx) => jobs.add(tx, { ...work, whose: of('two') }));
  const added = Date.now();
  await until(() => Date.now() > added + 2, 'the request is younger');
  const request = places.query?.use(of('three'), signal, async () => void order.push('request'));
  gate.resolve();
  await Promise.all([held, request]);
  await until(() => order.length === 2, 'both had a place');
  assert.deepEqual(order, ['job', 'request']);
  await jobs.stop();
});

testOnRecords('a user has no more jobs of a class in an account than are allowed', async ({ open }) => {
  const records = await open();
  const jobs = quickJobs(records, { places: placesOfWork(1, { ofUserMax: 2 }) });
  const add = (whose: Whose) => records.transact((tx) => jobs.add(tx, { ...work, whose }));
  const first = await add(of('many'));
  await add({ ...of('many'), project: 'other' });
  await assert.rejects(add(of('many')), { status: 429, code: 'TOO_MANY_REQUESTS' });
  await add(of('one'));
  await add({ ...of('many'), account: 'other' });
  await records.transact((tx) => jobs.cancel(tx, first));
  await add(of('many'));
});

testOnRecords(
  'a request that waits for a place is looked at when something changes, and not again and again',
  async ({ open }) => {
    const records = await open();
    const places = placesOfWork(1, { shortMs: 0, yieldMs: 0 });
    const jobs = quickJobs(records, { places, pollMs: 3_600_000 });
    await jobs.start();
    const gate = Promise.withResolvers<void>();
    const { signal } = new AbortController();
    const held = places.query?.use(of('one'), signal, () => gate.promise);
    const waiting = places.query?.use(of('one'), signal, async () => 'done');
    let claims = 0;
    const claimed = places.query?.whileClaiming.bind(places.query);
    Object.assign(places.query as object, {
      whileClaiming: (decide: () => Promise<unknown>) => {
        claims += 1;
        return claimed?.(decide);
      },
    });
    for (let write = 0; write < 100; write += 1) await records.transact(async () => undefined);
    assert.ok(claims <= 2, `${claims} claims`);
    gate.resolve();
    await held;
    assert.equal(await waiting, 'done');
    await jobs.stop();
  },
);

testOnRecords('a place that a stopped queue leaves goes to the next request', async ({ open }) => {
  const places = placesOfWork(1);
  const jobs = quickJobs(await open(), { places });
  await jobs.start();
  const { promise, resolve } = Promise.withResolvers<void>();
  const { signal } = new AbortController();
  const first = places.query?.use(of('one'), signal, () => promise);
  const second = places.query?.use(of('two'), signal, async () => 'done');
  await jobs.stop();
  resolve();
  await first;
  assert.equal(await second, 'done');
});

testOnRecords('positions follow the order in which waiting jobs would start', async ({ open }) => {
  const records = await open();
  const jobs = quickJobs(records);
  const ids: string[] = [];
  for (const user of ['many', 'many', 'many', 'one'])
    ids.push(await records.transact((tx) => jobs.add(tx, { ...work, whose: of(user) })));
  const waits = await jobs.waiting([...ids, 'unknown']);
  assert.deepEqual(
    ids.map((id) => waits.get(id)?.position),
    [1, 3, 4, 2],
  );
  assert.ok([...waits.values()].every(({ since }) => Math.abs(Date.now() - since) < 60_000));
  assert.equal(waits.size, 4);
});

testOnRecords('positions count requests that ran, run and wait beside the jobs', async ({ open }) => {
  const records = await open();
  const places = placesOfWork(1);
  const jobs = quickJobs(records, { places });
  const { signal } = new AbortController();
  const add = (user: string) => records.transact((tx) => jobs.add(tx, { ...work, whose: of(user) }));
  await places.query?.use(of('past'), signal, async () => undefined);
  const gate = Promise.withResolvers<void>();
  const held = places.query?.use(of('present'), signal, () => gate.promise);
  const waits = places.query?.use(of('before'), signal, async () => undefined);
  const ids = [await add('present'), await add('past'), await add('fresh')];
  const found = await jobs.waiting(ids);
  assert.deepEqual(
    ids.map((id) => found.get(id)?.position),
    [4, 3, 2],
  );
  gate.resolve();
  await Promise.all([held, waits]);
});

testOnRecords('a job that waits since after a reading of positions began has one', async ({ open }) => {
  const records = await open();
  const jobs = quickJobs(records);
  const first = await records.transact((tx) => jobs.add(tx, work));
  assert.equal((await jobs.waiting([first])).size, 1);
  // As a transaction leaves it that began before the reading, and ended after it.
  const second = await records.transact((tx) => jobs.add(tx, work));
  await records.transact((tx) =>
    tx.updateTable('jobs').set({ waiting_since: 0 }).where('id', '=', second).execute(),
  );
  assert.equal((await jobs.waiting([second])).get(second)?.position, 2);
});
