import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientError, unreachable } from './client-error.ts';
import { Backoff, retry } from './retry.ts';

const away = unreachable('http://h', new Error('refused'));
const busy = (retryAfterMs: number) =>
  new ClientError('Later.', { status: 503, code: 'OVERLOADED', retryAfterMs });

/** Returns a clock that waits by moving on. */
function movingClock() {
  const clock = {
    time: 0,
    waits: [] as number[],
    now: () => clock.time,
    wait: async (ms: number) => {
      clock.waits.push(ms);
      clock.time += ms;
    },
  };
  return clock;
}

/** Work that fails with these errors, one an attempt, and then succeeds. */
function failing(...errors: unknown[]) {
  const left = [...errors];
  return async () => {
    if (left.length === 0) return 'done';
    throw left.shift();
  };
}

test('a service may be away for a minute, each time anew, and no longer', () => {
  const clock = movingClock();
  const backoff = new Backoff({ clock });
  for (let outage = 0; outage < 3; outage++) {
    for (const pauseMs of [20, 30, 45]) assert.equal(backoff.pauseAfter(away), pauseMs);
    clock.time += 59_990;
    assert.equal(backoff.pauseAfter(away), 10, 'the last attempt comes at the end of the minute');
    backoff.renew();
    clock.time += 3_600_000;
  }
  backoff.pauseAfter(away);
  clock.time += 60_000;
  assert.throws(() => backoff.pauseAfter(away), away);
});

test('a pause is as long as the service requests, and within the minute', () => {
  const backoff = new Backoff({ clock: movingClock() });
  assert.equal(backoff.pauseAfter(busy(5000)), 5000);
  assert.equal(backoff.pauseAfter(busy(0)), 30);
  assert.equal(backoff.pauseAfter(busy(3_600_000)), 60_000);
});

test('a permanent error is thrown at once', () => {
  for (const status of [400, 401, 403, 404, 409, 412, 500]) {
    const error = new ClientError('No.', { status, code: 'X', retryAfterMs: 0 });
    assert.throws(() => new Backoff().pauseAfter(error), error);
  }
  const full = new ClientError('Full.', { status: 503, code: 'STORAGE_FULL', retryAfterMs: 60_000 });
  assert.throws(() => new Backoff().pauseAfter(full), full);
  const error = new TypeError('a fault');
  assert.throws(() => new Backoff().pauseAfter(error), error);
});

test('work is repeated until it succeeds, with growing pauses and the requested ones', async () => {
  const clock = movingClock();
  const paused: number[] = [];
  const onPause = (ms: number) => paused.push(ms);
  assert.equal(await retry(failing(away, away, busy(1000), away), { clock, onPause }), 'done');
  assert.deepEqual(clock.waits, [20, 30, 1000, 67.5]);
  assert.deepEqual(paused, clock.waits);
});

test('the number of attempts has a minimum, however long each takes, and a maximum', async () => {
  const clock = movingClock();
  let attempts = 0;
  const lasting = async () => {
    attempts += 1;
    clock.time += 3_600_000;
    throw away;
  };
  await assert.rejects(retry(lasting, { clock, attemptsMin: 4 }), away);
  assert.equal(attempts, 4);
  attempts = 0;
  await assert.rejects(retry(lasting, { clock, attemptsMin: 4, attemptsMax: 2 }), away);
  assert.equal(attempts, 2);
});

test('a longer delay than the policy grants is final', async () => {
  const clock = movingClock();
  const work = failing(busy(10_000), busy(10_001));
  await assert.rejects(retry(work, { clock, requestedMaxMs: 10_000 }), { retryAfterMs: 10_001 });
  assert.deepEqual(clock.waits, [10_000]);
});

test('a policy decides which errors pass', async () => {
  const clock = movingClock();
  const isPassing = (error: unknown) => error instanceof RangeError;
  assert.equal(await retry(failing(new RangeError()), { clock, isPassing }), 'done');
  await assert.rejects(retry(failing(away), { clock, isPassing }), away);
});

test('an abort ends a pause with its reason, and no attempt follows', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  let attempts = 0;
  const work = async () => {
    attempts += 1;
    throw busy(3_600_000);
  };
  const onPause = () => setImmediate(() => controller.abort(reason));
  await assert.rejects(retry(work, { signal: controller.signal, onPause }), reason);
  await assert.rejects(retry(work, { signal: controller.signal }), reason);
  assert.equal(attempts, 1);
});

test('an abort during an attempt is no outage', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const work = async () => {
    controller.abort(reason);
    throw away;
  };
  await assert.rejects(retry(work, { signal: controller.signal }), reason);
});
