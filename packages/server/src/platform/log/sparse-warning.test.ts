import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SparseWarning } from './sparse-warning.ts';

test('a frequent warning is logged at once, then every ten seconds with its count', (context) => {
  let now = 1e6;
  context.mock.method(performance, 'now', () => now);
  const reported: object[] = [];
  const log = {
    info: () => undefined,
    error: () => undefined,
    warn: (details: object) => reported.push(details),
  };
  const warning = new SparseWarning(log, 'it happened');
  for (let at = 0; at < 25; at++) {
    warning.report({ at });
    now += 1000;
  }
  assert.deepEqual(reported, [
    { at: 0, times: 1 },
    { at: 10, times: 10 },
    { at: 20, times: 10 },
  ]);
});
