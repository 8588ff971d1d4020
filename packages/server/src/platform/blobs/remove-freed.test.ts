import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notFound } from '../../problem.ts';
import { orDiscard, removeFreed } from './remove-freed.ts';

test('bytes that cannot be removed are no failure of the change that freed them, nor hold up the others', async () => {
  const asked: string[] = [];
  const remove = async (key: string): Promise<void> => {
    asked.push(key);
    if (key === 'second') throw Object.assign(new Error('permission denied'), { code: 'EACCES' });
  };
  await removeFreed({ remove }, ['first', 'second', 'third']);
  assert.deepEqual(asked, ['first', 'second', 'third']);
});

test('what was made ready for a step goes when the step is refused, and stays when nobody knows whether it was done', async () => {
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
