import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../problem.ts';
import { hashesMade, hashPassword, passwordMistake, Turns, verifyPassword } from './index.ts';

test('a password is right in any spelling of the same letters, and only with its own hash', async () => {
  const stored = await hashPassword('passwörd of jane');
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await verifyPassword(stored, 'passwo\u0308rd of jane'), true);
  assert.equal(await verifyPassword(stored, 'password of jane'), false);
});

test('without a stored hash the answer is no, after one hash like any other', async () => {
  for (const stored of [undefined, null]) {
    const before = hashesMade();
    assert.equal(await verifyPassword(stored, 'anything at all'), false);
    assert.equal(hashesMade() - before, 1);
  }
});

test('so many run at once, the next wait in line, and beyond the line they are told to come back', async () => {
  const turns = new Turns(2, 3);
  let running = 0;
  let most = 0;
  const doors: (() => void)[] = [];
  const work = async (): Promise<string> => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => doors.push(resolve));
    running--;
    return 'done';
  };
  const five = Array.from({ length: 5 }, () => turns.take(work));
  await assert.rejects(
    turns.take(work),
    (error) => error instanceof Problem && error.status === 503 && error.retryAfterS === 3,
  );
  const failing = assert.rejects(
    Promise.all([...five, five[0]]).then(() => turns.take(() => Promise.reject(new Error('x')))),
    /x/,
  );
  for (let opened = 0; opened < 5; opened++) {
    while (doors.length === 0) await new Promise((resolve) => setImmediate(resolve));
    doors.shift()?.();
  }
  assert.deepEqual(await Promise.all(five), Array(5).fill('done'));
  await failing;
  assert.equal(most, 2);
  assert.equal(await turns.take(async () => 'free again'), 'free again');
});

test('what is wrong with a new password is told', () => {
  assert.equal(passwordMistake('0123456789', '0123456789'), undefined);
  assert.match(passwordMistake('012345678', '012345678') ?? '', /at least 10/);
  assert.match(passwordMistake('x'.repeat(257), 'x'.repeat(257)) ?? '', /at most 256/);
  assert.match(passwordMistake('0123456789', '0123456788') ?? '', /differ/);
});
