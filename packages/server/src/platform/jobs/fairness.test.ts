import assert from 'node:assert/strict';
import { noting, quickJobs } from '../../../../../test/support/jobs.ts';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';

testOnRecords(
  'projects take turns, each oldest first, however many jobs one of them has',
  async ({ open }) => {
    const records = await open();
    const jobs = quickJobs(records);
    const order: string[] = [];
    jobs.handle(noting(async ({ job }) => void order.push(job.payload['name'] ?? '')));
    await records.transact(async (tx) => {
      for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1']) {
        await jobs.add(tx, { kind: 'work', payload: { name }, attemptsMax: 1, queueKey: name.slice(0, 1) });
      }
    });
    await jobs.start();
    await until(() => order.length === 8, 'all ran');
    await jobs.stop();
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4', 'a5']);
  },
);

testOnRecords(
  'a key never runs more than queueMax at once over all processes, and others pass it',
  async ({ open }) => {
    const records = await open();
    const runners = await Promise.all(
      [1, 2, 3].map(async () => quickJobs(await open({ connectionsMax: 4 }))),
    );
    const running = new Map<string, number>();
    const most = new Map<string, number>();
    let ended = 0;
    for (const jobs of runners) {
      jobs.handle(
        noting(async ({ job }) => {
          const key = job.payload['key'] ?? '';
          const now = (running.get(key) ?? 0) + 1;
          running.set(key, now);
          most.set(key, Math.max(most.get(key) ?? 0, now));
          await new Promise((resolve) => setTimeout(resolve, 3));
          running.set(key, (running.get(key) ?? 0) - 1);
          ended += 1;
        }, 4),
      );
    }
    const [first] = runners;
    assert.ok(first);
    await records.transact(async (tx) => {
      for (let number = 0; number < 40; number += 1) {
        const key = number < 30 ? 'busy' : 'calm';
        const queueMax = key === 'busy' ? 2 : 1;
        await first.add(tx, { kind: 'work', payload: { key }, attemptsMax: 1, queueKey: key, queueMax });
      }
    });
    await Promise.all(runners.map((jobs) => jobs.start()));
    await until(() => ended === 40, 'all ran');
    await Promise.all(runners.map((jobs) => jobs.stop()));
    assert.ok((most.get('busy') ?? 0) <= 2, `busy ran ${most.get('busy')} at once`);
    assert.equal(most.get('calm'), 1);
  },
);

testOnRecords('a kind runs at most concurrencyMax in one process', async ({ open }) => {
  const records = await open();
  const jobs = quickJobs(records);
  let running = 0;
  let most = 0;
  let ended = 0;
  jobs.handle(
    noting(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      ended += 1;
    }, 3),
  );
  await records.transact(async (tx) => {
    for (let number = 0; number < 30; number += 1)
      await jobs.add(tx, { kind: 'work', payload: {}, attemptsMax: 1 });
  });
  await jobs.start();
  await until(() => ended === 30, 'all ran');
  await jobs.stop();
  assert.ok(most <= 3);
});
