import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../../../base/problem.ts';
import { hashesMade, hashPassword, passwordMistake, verifyPassword } from './index.ts';

test('a password matches its own hash only, in any encoding of its letters', async () => {
  const stored = await hashPassword('passwörd of jane');
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await verifyPassword(stored, 'passwo\u0308rd of jane'), true);
  assert.equal(await verifyPassword(stored, 'password of jane'), false);
});

test('without a stored hash no password matches, after one hash like any other', async () => {
  for (const stored of [undefined, null]) {
    const before = hashesMade();
    assert.equal(await verifyPassword(stored, 'anything at all'), false);
    assert.equal(hashesMade() - before, 1);
  }
});

test('hashes over the queue are refused with a time to retry', async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 67 }, () => hashPassword('passwörd of jane')),
  );
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  assert.equal(refused.length, 1);
  const [error] = refused;
  assert.ok(error instanceof Problem);
  assert.deepEqual([error.status, error.code, error.retryAfterS], [503, 'BUSY', 3]);
});

test('each error of a new password is reported', () => {
  assert.equal(passwordMistake('0123456789', '0123456789'), undefined);
  assert.match(passwordMistake('012345678', '012345678') ?? '', /at least 10/);
  assert.match(passwordMistake('x'.repeat(257), 'x'.repeat(257)) ?? '', /at most 256/);
  assert.match(passwordMistake('0123456789', '0123456788') ?? '', /differ/);
});
