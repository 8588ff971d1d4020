import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removeFreed } from './remove-freed.ts';

test('bytes that cannot be removed are no failure of the change that freed them, nor hold up the others', async () => {
  const asked: string[] = [];
  const remove = async (key: string): Promise<void> => {
    asked.push(key);
    if (key === 'second') throw Object.assign(new Error('permission denied'), { code: 'EACCES' });
  };
  await removeFreed({ remove }, ['first', 'second', 'third']);
  assert.deepEqual(asked, ['first', 'second', 'third']);
});
