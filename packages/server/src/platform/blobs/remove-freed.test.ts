import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notFound } from '../../base/problem.ts';
import { orDiscard, removeFreed } from './remove-freed.ts';

test('removeFreed leaves bytes that cannot be removed to the sweep', async () => {
  const remove = () => Promise.reject(Object.assign(new Error('permission denied'), { code: 'EACCES' }));
  await removeFreed({ remove }, ['first', 'second']);
});

test('orDiscard discards after a refusal, and not after an error that leaves the outcome open', async () => {
  let discarded = 0;
  const take = (step: () => Promise<string>) =>
    orDiscard(async () => {
      discarded += 1;
    }, step);
  assert.equal(await take(async () => 'done'), 'done');
  const unanswered = new Error('Connection terminated unexpectedly');
  await assert.rejects(
    take(() => Promise.reject(unanswered)),
    unanswered,
  );
  assert.equal(discarded, 0);
  await assert.rejects(
    take(() => Promise.reject(notFound())),
    notFound(),
  );
  assert.equal(discarded, 1);
});
