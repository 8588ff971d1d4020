import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../base/problem.ts';
import { storageProblem } from './durable.ts';

const failed = (code: string): Error => Object.assign(new Error(code), { code });

test('a disk that is full and files that cannot be opened for their number are states that pass, not faults', () => {
  for (const [code, problem] of [
    ['ENOSPC', 'STORAGE_FULL'],
    ['EDQUOT', 'STORAGE_FULL'],
    ['EMFILE', 'OVERLOADED'],
    ['ENFILE', 'OVERLOADED'],
  ] as const) {
    const reported = storageProblem(failed(code));
    assert.ok(reported instanceof Problem);
    assert.deepEqual([reported.status, reported.code], [503, problem]);
  }
  const other = failed('EIO');
  assert.equal(storageProblem(other), other);
});
