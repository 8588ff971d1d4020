import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairTurns, TooManyWaiting } from './fair-turns.ts';

test('callers take turns, however many tasks one of them has', async () => {
  const turns = new FairTurns(1);
  const order: string[] = [];
  await turns.take('a');
  const waiting = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) =>
    turns.take(name.slice(0, 1)).then(() => {
      order.push(name);
      turns.give();
    }),
  );
  assert.equal(turns.waitingCount, 6);
  turns.give();
  await Promise.all(waiting);
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('a task that is aborted leaves the queue, and its place to the next', async () => {
  const turns = new FairTurns(1);
  await turns.take('a');
  const abort = new AbortController();
  const gone = turns.take('b', abort.signal);
  const next = turns.take('c');
  abort.abort(new Error('gone'));
  await assert.rejects(gone, /gone/);
  assert.equal(turns.waitingCount, 1);
  turns.give();
  await next;
  await assert.rejects(turns.take('d', abort.signal), /gone/);
});

test('a caller has only so many waiting tasks; the service has no limit', async () => {
  const turns = new FairTurns(1, { waitingMax: 2 });
  const pass = (caller?: string) => turns.take(caller).then(() => turns.give());
  await turns.take('a');
  const waiting = [pass('a'), pass('a'), ...Array.from({ length: 9 }, () => pass())];
  await assert.rejects(turns.take('a'), TooManyWaiting);
  const other = pass('b');
  turns.give();
  await Promise.all([...waiting, other]);
});

test('several turns are taken at once, and free ones are kept', async () => {
  const turns = new FairTurns(2);
  await Promise.all([turns.take('a'), turns.take('a')]);
  let isThird = false;
  const third = turns.take('a').then(() => {
    isThird = true;
  });
  await Promise.resolve();
  assert.equal(isThird, false);
  turns.give();
  await third;
  turns.give();
  turns.give();
  await Promise.all([turns.take('b'), turns.take('b')]);
});
