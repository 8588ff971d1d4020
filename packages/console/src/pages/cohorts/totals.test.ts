import assert from 'node:assert/strict';
import { test } from 'node:test';
import { totals } from './totals.ts';

test('counts of several projects add up at each time at which one of them changed', () => {
  const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
  const found = totals([
    { project: 'a', count: 5, countedTime: at(3) },
    { project: 'b', count: 2, countedTime: at(1) },
    { project: 'a', count: 3, countedTime: at(1) },
  ]);
  assert.deepEqual(found, [
    { time: new Date(at(1)), subjects: 5 },
    { time: new Date(at(3)), subjects: 7 },
  ]);
});
