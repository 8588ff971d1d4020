import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noting, quickJobs, stateOf, untilStopped, work } from '../../../../../test/support/jobs.ts';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Records } from '../records/index.ts';
import { Outage } from './outage.ts';

const leaseMs = 1000;

function clocked(askedEveryMs = 100) {
  let now = 0;
  const outage = new Outage(leaseMs, askedEveryMs, () => now);
  return { outage, wait: (ms: number) => (now += ms) };
}

test('records that do not answer for most of a lease were away, while leases of then may run out', () => {
  const { outage, wait } = clocked();
  for (let at = 0; at < 20; at += 1) {
    wait(100);
    outage.tick();
  }
  outage.reached();
  assert.equal(outage.isRecent, true);
  wait(leaseMs);
  assert.equal(outage.isRecent, true);
  wait(leaseMs);
  assert.equal(outage.isRecent, false);
});

test('a process that stalled draws no conclusion about the records, whatever it asks first', () => {
  for (const isTickedFirst of [true, false]) {
    const { outage, wait } = clocked();
    wait(2 * leaseMs);
    if (isTickedFirst) outage.tick();
    outage.reached();
    outage.leaseLost();
    assert.equal(outage.isRecent, false);
  }
});

test('records that answer now and then are there', () => {
  const { outage, wait } = clocked();
  for (let at = 0; at < 100; at += 1) {
    wait(100);
    outage.tick();
    if (at % 5 === 0) outage.reached();
    assert.equal(outage.isRecent, false);
  }
});

test('a lease that a process loses while it is alive is the fault of the records', () => {
  const { outage, wait } = clocked();
  for (let at = 0; at < 20; at += 1) {
    wait(100);
    outage.tick();
    if (at % 5 === 0) outage.reached();
  }
  outage.leaseLost();
  assert.equal(outage.isRecent, true);
});

test('records that are asked more seldom than a lease lasts are not away for it', () => {
  const { outage, wait } = clocked(2 * leaseMs);
  for (let at = 0; at < 100; at += 1) {
    wait(100);
    outage.tick();
    if (at % 20 === 19) outage.reached();
    assert.equal(outage.isRecent, false);
  }
});

/** Records whose transactions begin when the gate is open. */
function gated(records: Records): { records: Records; gate: PromiseWithResolvers<void> | undefined } {
  const state: { records: Records; gate: PromiseWithResolvers<void> | undefined } = {
    gate: undefined,
    records: new Proxy(records, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (name !== 'transact') return value.bind(target);
        return async (...words: unknown[]) => {
          await state.gate?.promise;
          return Reflect.apply(value, target, words);
        };
      },
    }),
  };
  return state;
}

testOnRecords(
  'an attempt whose lease could not be prolonged because of the records does not count',
  async ({ open }) => {
    const records = await open();
    const network = gated(records);
    const jobs = quickJobs(network.records, { leaseMs: 600 });
    let runs = 0;
    jobs.handle(
      noting(async ({ signal }) => {
        runs += 1;
        // More often than it may be tried.
        if (runs > 3) return;
        const gate = Promise.withResolvers<void>();
        network.gate = gate;
        await untilStopped(signal).finally(() => {
          network.gate = undefined;
          gate.resolve();
        });
      }),
    );
    await jobs.start();
    const id = await records.transact((tx) => jobs.add(tx, { ...work, attemptsMax: 2 }));
    await until(async () => (await stateOf(records, id)).state === 'succeeded', 'it ends in the end');
    assert.deepEqual(await stateOf(records, id), { state: 'succeeded', attempts: 1 });
    await jobs.stop();
  },
);
