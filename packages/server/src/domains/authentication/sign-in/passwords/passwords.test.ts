import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../../../base/problem.ts';
import { hashesMade, hashPassword, passwordFault, verifyPassword } from './index.ts';

// asvs: 6.2.8, 11.4.2
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

// asvs: 6.2.8
test('a password counts to its last character, in capitals as in small letters', async () => {
  const long = 'x7'.repeat(127);
  const stored = await hashPassword(`${long}a`);
  assert.equal(await verifyPassword(stored, `${long}a`), true);
  for (const other of [`${long}b`, long, `${long}A`, `${long}a `])
    assert.equal(await verifyPassword(stored, other), false);
});

const faultIn = (password: string) => passwordFault(password, password, 'jane.doe@hospital.example');

// asvs: 6.2.1, 6.2.5, 6.2.9
test('each error of a new password is reported, and no characters are asked for', () => {
  for (const good of [
    'wnpfkqzmxu',
    '7301964825',
    '~!@#$%^&*(',
    'ŵèíñ ũñd bröt',
    '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ok',
    'y'.concat('z8'.repeat(127)),
  ])
    assert.equal(faultIn(good), undefined, good);
  assert.match(faultIn('wnpfkqzmx') ?? '', /at least 10/);
  assert.match(faultIn('x7'.repeat(129)) ?? '', /at most 256/);
  assert.match(passwordFault('wnpfkqzmxu', 'wnpfkqzmxv', 'a@example.org') ?? '', /differ/);
});

// asvs: 6.2.4
test('a password that many people use is refused, whatever its capitals', () => {
  for (const common of [
    'qwertyuiop',
    'Password123',
    '1234567890',
    '1Q2W3E4R5T',
    'aaaaaaaaaa',
    '1212121212',
    'abcabcabcabc',
  ])
    assert.match(faultIn(common) ?? '', /many people/i, common);
});

// asvs: 6.2.11
test('a password of the address and the name of the service is refused, one that only holds them is not', () => {
  for (const guessed of [
    'jane.doe@hospital.example',
    'JaneDoe2026!',
    'Hospital12',
    'Ploidy2026!',
    'ploidypassword',
  ])
    assert.match(faultIn(guessed) ?? '', /guessed first/, guessed);
  for (const good of ['jane likes long walks', 'my password of ploidy is longer'])
    assert.equal(faultIn(good), undefined, good);
});
