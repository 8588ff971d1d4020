import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientError, unreachable } from './client-error.ts';
import { Patience } from './patience.ts';

const away = unreachable('http://h', new Error('refused'));
const busy = (retryAfterMs: number) =>
  new ClientError('Later.', { status: 503, code: 'OVERLOADED', retryAfterMs });

test('a service may be away for a minute, each time anew, and no longer', () => {
  let now = 0;
  const patience = new Patience(() => now);
  for (let time = 0; time < 3; time++) {
    for (const pauseMs of [20, 30, 45]) assert.equal(patience.pauseAfter(away), pauseMs);
    now += 59_990;
    assert.equal(patience.pauseAfter(away), 10, 'the last attempt comes at the end of the minute');
    patience.renew();
    now += 3_600_000;
  }
  patience.pauseAfter(away);
  now += 60_000;
  assert.throws(() => patience.pauseAfter(away), away);
});

test('a pause is as long as the service asks for, and within the minute', () => {
  const patience = new Patience(() => 0);
  assert.equal(patience.pauseAfter(busy(5000)), 5000);
  assert.equal(patience.pauseAfter(busy(0)), 30);
  assert.equal(patience.pauseAfter(busy(3_600_000)), 60_000);
});

test('a permanent error is thrown at once', () => {
  for (const status of [400, 401, 403, 404, 409, 412, 500]) {
    const error = new ClientError('No.', { status, code: 'X', retryAfterMs: 0 });
    assert.throws(() => new Patience().pauseAfter(error), error);
  }
  const full = new ClientError('Full.', { status: 503, code: 'STORAGE_FULL', retryAfterMs: 60_000 });
  assert.throws(() => new Patience().pauseAfter(full), full);
  const error = new TypeError('a mistake');
  assert.throws(() => new Patience().pauseAfter(error), error);
});
