import assert from 'node:assert/strict';
import { noting, placesOfWork, quickJobs, work } from '../../../../../test/support/jobs.ts';
import { type RecordsFixture, testOnRecords } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';
import { nobody, type Whose } from './admission.ts';

const of = (project: string, user = '', account = 'a'): Whose => ({ account, project, user });

// asvs: 15.2.2
testOnRecords(
  'projects take turns, each oldest first, however many jobs one of them has',
  async ({ open }) => {
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'];
    const order = await orderOf(
      open,
      names.map((name) => ({ name, whose: of(name.slice(0, 1)) })),
    );
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4', 'a5']);
  },
);

testOnRecords(
  'jobs of one exclusive key run one at a time over all processes, and others pass them',
  async ({ open }) => {
    const records = await open();
    const runners = await Promise.all(
      [1, 2, 3].map(async () => quickJobs(await open({ connectionsMax: 4 }), { places: placesOfWork(4) })),
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
        }),
      );
    }
    const [first] = runners;
    assert.ok(first);
    await records.transact(async (tx) => {
      for (let number = 0; number < 40; number += 1) {
        const key = number < 30 ? 'busy' : 'calm';
        await first.add(tx, { ...work, whose: of(key), payload: { key }, exclusiveKey: key });
      }
    });
    await Promise.all(runners.map((jobs) => jobs.start()));
    await until(() => ended === 40, 'all ran');
    await Promise.all(runners.map((jobs) => jobs.stop()));
    assert.deepEqual([most.get('busy'), most.get('calm')], [1, 1]);
  },
);

testOnRecords('kinds of one class share the places of a process', async ({ open }) => {
  const records = await open();
  const jobs = quickJobs(records, { places: placesOfWork(3) });
  let running = 0;
  let most = 0;
  let ended = 0;
  const handler = noting(async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    ended += 1;
  });
  for (const kind of ['work', 'other']) jobs.handle({ ...handler, kind });
  await records.transact(async (tx) => {
    for (let number = 0; number < 30; number += 1)
      await jobs.add(tx, { ...work, kind: number % 2 === 0 ? 'work' : 'other' });
  });
  await jobs.start();
  await until(() => ended === 30, 'all ran');
  await jobs.stop();
  assert.ok(most <= 3, `${most} ran at once`);
});

interface Waiting {
  name: string;
  whose: Whose;
}

/** Order in which jobs run one after the other that were added together, `later` once the first of them runs. */
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
      for (const { name, whose } of added) await jobs.add(tx, { ...work, whose, payload: { name } });
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

const fifty = (whose: (index: number) => Whose): Waiting[] =>
  Array.from({ length: 50 }, (_, index) => ({ name: `many-${index}`, whose: whose(index) }));

/** Floods of fifty jobs, and the owner of the job after the first of them. */
const floods: Record<string, { many: (index: number) => Whose; single: Whose }> = {
  'a user with fifty jobs in a project leaves the next turn to another user of it': {
    many: () => of('one', 'busy'),
    single: of('one', 'calm'),
  },
  'a user with fifty jobs in fifty projects leaves the next turn to another user': {
    many: (index) => of(`p${index}`, 'busy'),
    single: of('other', 'calm'),
  },
  'a user with fifty jobs in fifty accounts leaves the next turn to another user': {
    many: (index) => of(`p${index}`, 'busy', `a${index}`),
    single: of('p0', 'calm', 'a0'),
  },
  'a project with fifty users leaves the next turn to another project': {
    many: (index) => of('one', `u${index}`),
    single: of('other', 'calm'),
  },
  'an account with fifty projects and users leaves the next turn to another account': {
    many: (index) => of(`p${index}`, `u${index}`),
    single: of('other', 'calm', 'b'),
  },
  'a user with fifty jobs in a project is not kept out of another': {
    many: () => of('one', 'busy'),
    single: of('other', 'busy'),
  },
};

for (const [name, { many, single }] of Object.entries(floods))
  testOnRecords(name, async ({ open }) => {
    const order = await orderOf(open, fifty(many), [{ name: 'single', whose: single }]);
    assert.equal(order.indexOf('single'), 1);
  });

testOnRecords(
  'users with always one waiting job do not keep out one with many, and the past does not count',
  async ({ open }) => {
    const records = await open();
    const jobs = quickJobs(records);
    const order: string[] = [];
    const add = (user: string) =>
      records.transact((tx) => jobs.add(tx, { ...work, payload: { user }, whose: of('p', user) }));
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

testOnRecords('clients of one person share that person’s turns, and work that may wait', async ({ open }) => {
  const records = await open();
  const clients = Array.from({ length: 5 }, (_, at) => `client-${at}`);
  const row = {
    ...{ account_id: 'a', name: '', secret_hash: null, settings: '{}' },
    ...{ registered: 0, created_at: 0, updated_at: 0 },
  };
  await records.transact((tx) =>
    tx
      .insertInto('clients')
      .values(clients.map((id) => ({ ...row, id, made_by: 'busy' })))
      .execute(),
  );
  const jobs = quickJobs(records, { places: placesOfWork(1, { ofUserMax: 6 }) });
  const add = (user: string) => records.transact((tx) => jobs.add(tx, { ...work, whose: of('p', user) }));
  const ids: string[] = [];
  for (const user of ['busy', ...clients, 'calm']) ids.push(await add(user));
  const waits = await jobs.waiting(ids);
  assert.equal(waits.get(ids.at(-1) ?? '')?.position, 2);
  await assert.rejects(add('client-0'), { status: 429 });
});

testOnRecords('jobs without an owner run in the order of their arrival', async ({ open }) => {
  const names = ['one', 'two', 'three'];
  const order = await orderOf(
    open,
    names.map((name) => ({ name, whose: nobody })),
  );
  assert.deepEqual(order, names);
});
