import assert from 'node:assert/strict';
import { testOnRecords } from '../../../../../../../test/support/records.ts';
import { Delays, type Subject } from './backoff.ts';

const key = Buffer.alloc(32, 1);
const user: Subject = { kind: 'user', name: 'a@example.test' };
const browser: Subject = { kind: 'browser', name: 'one' };

testOnRecords('delays double up to a limit, and end in time', async ({ open }) => {
  const records = await open();
  let now = 1e12;
  const delays = new Delays(records, key, () => now);
  const waits: number[] = [];
  while (waits.length < 9) {
    const waitMs = await delays.take([user]);
    if (waitMs === 0) continue;
    waits.push(waitMs);
    now += waitMs - 1;
    assert.equal(await delays.take([user]), 1, 'a try that has to wait makes the wait no longer');
    now += 1;
  }
  assert.deepEqual(waits.slice(0, 6), [1000, 2000, 4000, 8000, 16_000, 32_000]);
  assert.equal(waits.at(-1), 60_000);
});

testOnRecords('a clock that is set back by an hour delays no attempt by an hour', async ({ open }) => {
  const records = await open();
  let now = 1e12;
  const delays = new Delays(records, key, () => now);
  for (let attempt = 0; attempt < 6; attempt++) assert.equal(await delays.take([user]), 0);
  assert.equal(await delays.take([user]), 1000);
  now -= 3_600_000;
  assert.equal(await delays.take([user]), 0, 'a wait of an hour is none of ours');
  assert.equal(await delays.take([user]), 2000, 'and what was counted still counts, once');
});

testOnRecords(
  'a process whose clock is behind sees the delays of others, and no further ones',
  async ({ open }) => {
    const records = await open();
    const ahead = new Delays(records, key, () => 1e12);
    const behind = new Delays(records, key, () => 1e12 - 3);
    for (let attempt = 0; attempt < 3; attempt++) assert.equal(await ahead.take([user]), 0);
    for (let attempt = 0; attempt < 3; attempt++) assert.equal(await behind.take([user]), 0, 'free attempts');
    let now = 1e12;
    const patient = new Delays(records, key, () => now);
    for (let waitMs = 0; waitMs < 60_000; now += waitMs) waitMs = await patient.take([user]);
    assert.equal(await patient.take([user]), 0);
    const late = new Delays(records, key, () => now - 3);
    assert.equal(await late.take([user]), 60_000, 'the longest delay');
  },
);

testOnRecords(
  'waiting long enough resets the delay, and the right password ends it at once',
  async ({ open }) => {
    const records = await open();
    let now = 1e12;
    const delays = new Delays(records, key, () => now);
    const fail = async (times: number) => {
      for (let attempt = 0; attempt < times; attempt++) assert.equal(await delays.take([user]), 0);
    };
    await fail(6);
    assert.equal(await delays.take([user]), 1000);
    now += 6 * 10 * 60_000;
    await fail(6);
    await delays.clear([user]);
    await fail(5);
  },
);

testOnRecords(
  'the right password of one user takes back one attempt of the browser, not those of other users',
  async ({ open }) => {
    const records = await open();
    const delays = new Delays(records, key, () => 1e12);
    for (let attempt = 0; attempt < 19; attempt++) {
      assert.equal(await delays.take([{ kind: 'user', name: `${attempt}` }, browser]), 0);
      assert.equal(await delays.take([user, browser]), 0);
      await delays.clear([user]);
      await delays.undo([browser]);
    }
    assert.equal(await delays.take([{ kind: 'user', name: 'x' }, browser]), 0);
    assert.equal(await delays.take([{ kind: 'user', name: 'y' }, browser]), 0);
    assert.equal(await delays.take([user, browser]), 1000, 'the 22nd try of the browser');
  },
);

testOnRecords('a crowd of browsers that guess delays a new one by two seconds at most', async ({ open }) => {
  const records = await open();
  let now = 1e12;
  const delays = new Delays(records, key, () => now);
  const crowd: Subject = { kind: 'crowd', name: '192.0.2.1' };
  for (let attempt = 0; attempt < 101; attempt += 1) assert.equal(await delays.take([crowd]), 0);
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const waitMs = await delays.take([crowd]);
    assert.ok(waitMs > 0 && waitMs <= 2000, `${waitMs} ms`);
    now += waitMs;
    assert.equal(await delays.take([crowd]), 0);
  }
});

testOnRecords(
  'letters to one address are sent at once at first, then after delays of up to an hour',
  async ({ open }) => {
    const records = await open();
    let now = 1e12;
    const delays = new Delays(records, key, () => now);
    const letter: Subject = { kind: 'mail', name: 'a@example.test' };
    const waits: number[] = [];
    for (let sent = 0; sent < 40; sent++) {
      const waitMs = await delays.take([letter]);
      waits.push(waitMs);
      now += waitMs;
    }
    assert.deepEqual(waits.slice(0, 4), [0, 0, 0, 0]);
    assert.equal(Math.max(...waits), 3_600_000);
  },
);

testOnRecords('attempts that are refused write nothing, whatever they name', async ({ open }) => {
  const records = await open();
  const delays = new Delays(records, key, () => 1e12);
  const crowd: Subject = { kind: 'crowd', name: '192.0.2.1' };
  const named = (name: string): Subject[] => [{ kind: 'user', name }, { kind: 'browser', name }, crowd];
  const rows = () => records.read.selectFrom('sign_in_delays').selectAll().orderBy('id').execute();
  for (let attempt = 0; attempt < 101; attempt += 1) assert.equal(await delays.take([crowd]), 0);
  const before = await rows();
  for (let attempt = 0; attempt < 20; attempt += 1) assert.ok((await delays.take(named(`${attempt}`))) > 0);
  const concurrent = Array.from({ length: 20 }, (_, attempt) => delays.take(named(`c${attempt}`)));
  assert.ok((await Promise.all(concurrent)).every((waitMs) => waitMs > 0));
  assert.deepEqual(await rows(), before);
});

testOnRecords(
  'concurrent attempts of one new user leave rows only of those that were counted',
  async ({ open }) => {
    const records = await open();
    const delays = new Delays(records, key, () => 1e12);
    const waits = await Promise.all(
      Array.from({ length: 30 }, (_, at) => delays.take([user, { kind: 'browser', name: `${at}` }])),
    );
    assert.equal(waits.filter((waitMs) => waitMs === 0).length, 6);
    assert.equal((await records.read.selectFrom('sign_in_delays').selectAll().execute()).length, 7);
  },
);

// asvs: 6.3.1
testOnRecords('concurrent attempts are limited like sequential ones', async ({ open }) => {
  const records = await open();
  const delays = new Delays(records, key, () => 1e12);
  const waits = await Promise.all(Array.from({ length: 30 }, () => delays.take([user])));
  assert.equal(waits.filter((waitMs) => waitMs === 0).length, 6);
});

testOnRecords('two processes share their counts, and drop them after a day', async ({ open }) => {
  const records = await open();
  let now = 1e12;
  const one = new Delays(records, key, () => now);
  const other = new Delays(await open(), key, () => now);
  for (let attempt = 0; attempt < 3; attempt++) for (const delays of [one, other]) await delays.take([user]);
  assert.equal(await one.take([user]), 1000);
  assert.equal(await other.take([user]), 1000);
  now += 86_400_001;
  await one.sweep();
  assert.deepEqual(await records.read.selectFrom('sign_in_delays').selectAll().execute(), []);
});
