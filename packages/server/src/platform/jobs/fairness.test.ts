import assert from 'node:assert/strict';
import { noting, quickJobs } from '../../../../../test/support/jobs.ts';
import { type RecordsFixture, testOnRecords } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';

// asvs: 15.2.2
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

interface Waiting {
  name: string;
  project: string;
  user: string;
}

/** The order in which jobs run one after the other that were added together, `later` once the first of them runs. */
async function orderOf(
  open: RecordsFixture['open'],
  waiting: Waiting[],
  later: Waiting[] = [],
): Promise<string[]> {
  const records = await open();
  const jobs = quickJobs(records);
  const order: string[] = [];
  const add = (added: Waiting[]) =>
    records.transact(async (tx) => {
      for (const { name, project, user } of added) {
        const keys = { queueKey: `p:${project}`, queueMax: 1, shareKey: `u:${user}`, shareMax: 1 };
        await jobs.add(tx, { kind: 'work', payload: { name }, attemptsMax: 1, ...keys });
      }
    });
  jobs.handle(
    noting(async ({ job }) => {
      order.push(job.payload['name'] ?? '');
      if (order.length === 1) await add(later);
    }),
  );
  await add(waiting);
  await jobs.start();
  await until(() => order.length === waiting.length + later.length, 'all ran');
  await jobs.stop();
  return order;
}

const fifty = (project: (index: number) => string, user: (index: number) => string): Waiting[] =>
  Array.from({ length: 50 }, (_, index) => ({
    name: `many-${index}`,
    project: project(index),
    user: user(index),
  }));

testOnRecords(
  'a user with fifty jobs in a project leaves the next turn to another user of it',
  async ({ open }) => {
    const many = fifty(
      () => 'one',
      () => 'busy',
    );
    const order = await orderOf(open, many, [{ name: 'single', project: 'one', user: 'calm' }]);
    assert.equal(order.indexOf('single'), 1);
  },
);

testOnRecords(
  'a user with fifty jobs in fifty projects leaves the next turn to another user',
  async ({ open }) => {
    const many = fifty(
      (index) => `p${index}`,
      () => 'busy',
    );
    const order = await orderOf(open, many, [{ name: 'single', project: 'other', user: 'calm' }]);
    assert.equal(order.indexOf('single'), 1);
  },
);

testOnRecords('a project with fifty users leaves the next turn to another project', async ({ open }) => {
  const many = fifty(
    () => 'one',
    (index) => `u${index}`,
  );
  const order = await orderOf(open, many, [{ name: 'single', project: 'other', user: 'calm' }]);
  assert.equal(order.indexOf('single'), 1);
});

testOnRecords('a user with fifty jobs in a project is not kept out of another', async ({ open }) => {
  const many = fifty(
    () => 'one',
    () => 'busy',
  );
  const order = await orderOf(open, many, [{ name: 'single', project: 'other', user: 'busy' }]);
  assert.equal(order.indexOf('single'), 1);
});

testOnRecords(
  'users who always have one job waiting do not keep out one who has many, and the past counts against nobody',
  async ({ open }) => {
    const records = await open();
    const jobs = quickJobs(records);
    const order: string[] = [];
    const add = (user: string) =>
      records.transact((tx) =>
        jobs.add(tx, { kind: 'work', payload: { user }, attemptsMax: 1, queueKey: 'p', shareKey: user }),
      );
    jobs.handle(
      noting(async ({ job }) => {
        const user = job.payload['user'] ?? '';
        order.push(user);
        if (user !== 'many' && order.length < 24) await add(user);
      }),
    );
    for (let number = 0; number < 20; number += 1) await add('many');
    await add('a');
    await add('b');
    await jobs.start();
    await until(() => order.length > 24, 'all had turns');
    await jobs.stop();
    const early = order.slice(0, 12);
    for (const user of ['many', 'a', 'b']) {
      const turns = early.filter((one) => one === user).length;
      assert.ok(turns >= 3 && turns <= 5, `${user} had ${turns} of twelve turns: ${early}`);
    }
  },
);

testOnRecords('a share never runs more than shareMax at once, in whichever project', async ({ open }) => {
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
    }, 8),
  );
  await records.transact(async (tx) => {
    for (let number = 0; number < 20; number += 1) {
      const keys = { queueKey: `p${number % 5}`, shareKey: 'u', shareMax: 2 };
      await jobs.add(tx, { kind: 'work', payload: {}, attemptsMax: 1, ...keys });
    }
  });
  await jobs.start();
  await until(() => ended === 20, 'all ran');
  await jobs.stop();
  assert.ok(most <= 2, `${most} ran at once`);
});
