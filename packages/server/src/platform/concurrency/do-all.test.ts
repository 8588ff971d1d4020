import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doAll } from './do-all.ts';

test('all steps are taken in their order, whatever fails, and the first failure is thrown', async () => {
  const taken: number[] = [];
  const fails = (number: number) => async () => {
    taken.push(number);
    throw new Error(`step ${number}`);
  };
  await assert.rejects(doAll([() => taken.push(1), fails(2), fails(3), () => taken.push(4)]), /step 2/);
  assert.deepEqual(taken, [1, 2, 3, 4]);
  await doAll([]);
});
