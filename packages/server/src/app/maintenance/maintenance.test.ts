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

test('a sweep that ignores the abort does not block a stop', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const maintenance = new Maintenance(openLog('silent'), [() => promise], dayMs);
  maintenance.start();
  let isPending = true;
  const running = maintenance.run().then(() => {
    isPending = false;
  });
  // A referenced timer keeps the process alive: the one of the stop does not.
  const alive = setInterval(() => undefined, dayMs);
  await maintenance.stop(1).finally(() => clearInterval(alive));
  assert.ok(isPending, 'the stop resolves while the sweep is pending');
  resolve();
  await running;
});
