import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openLog } from '../../platform/log/log.ts';
import { Maintenance } from './maintenance.ts';

const dayMs = 86_400_000;

test('a stop ends the running sweep and starts no other', async () => {
  const begun: string[] = [];
  const untilAborted = (signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const first = (signal: AbortSignal) => {
    begun.push('first');
    return untilAborted(signal);
  };
  const second = async () => begun.push('second');
  const maintenance = new Maintenance(openLog('silent'), [first, second], dayMs);
  maintenance.start();
  await maintenance.stop(dayMs);
  assert.deepEqual(begun, ['first']);
});

test('a sweep that does not end does not block a stop', async () => {
  const maintenance = new Maintenance(openLog('silent'), [() => new Promise(() => undefined)], dayMs);
  maintenance.start();
  await maintenance.stop(1);
});
