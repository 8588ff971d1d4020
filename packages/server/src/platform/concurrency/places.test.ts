import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Places, type Share } from './places.ts';

const shares = (name: string, part = 0.1): Share[] => [{ name, part }];

test('a visitor beyond its share is refused, others are not, and all are beyond all places', () => {
  const places = new Places(20);
  assert.equal(places.take(shares('one')), undefined);
  assert.equal(places.take(shares('one')), undefined);
  assert.equal(places.take(shares('one')), 'own');
  for (let number = 0; number < 9; number += 1) {
    places.take(shares(`other ${number}`));
    places.take(shares(`other ${number}`));
  }
  assert.equal(places.take(shares('late')), 'all');
  places.give(shares('one'));
  assert.equal(places.take(shares('late')), undefined);
});

test('a wider share counts the narrower ones within it', () => {
  const places = new Places(20);
  const within = (name: string): Share[] => [...shares(name), { name: 'wide', part: 0.2 }];
  for (const name of ['a', 'b', 'c', 'd']) assert.equal(places.take(within(name)), undefined);
  assert.equal(places.take(within('e')), 'own');
  assert.equal(places.take(shares('e')), undefined);
});

test('lines take turns: a long one delays only itself', async () => {
  const places = new Places(1, 100);
  places.take(shares('first'));
  const served: string[] = [];
  const queue = async (name: string): Promise<void> => {
    assert.equal(await places.take(shares(name)), undefined);
    served.push(name);
    places.give(shares(name));
  };
  const all = ['flood', 'flood', 'flood', 'other', 'flood'].map(queue);
  places.give(shares('first'));
  await Promise.all(all);
  assert.deepEqual(served, ['flood', 'other', 'flood', 'flood', 'flood']);
});

test('a line is bounded: by a quarter for one name, by all for everybody', () => {
  const places = new Places(1, 8);
  places.take(shares('first'));
  const outcomes = ['a', 'a', 'a', 'b', 'b', 'c', 'c', 'd', 'd', 'e'].map((name) =>
    places.take(shares(name)),
  );
  const refused = outcomes.map((outcome) => (outcome instanceof Promise ? 'waits' : outcome));
  assert.deepEqual(refused, ['waits', 'waits', 'own', ...Array(6).fill('waits'), 'all']);
});

test('after any order of claims and ends all places are free again, and a free place has no waiter', async () => {
  const steps = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c'), ends: fc.boolean() }));
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const places = new Places(3, 1000);
      const held: string[] = [];
      const waiting = new Set<Promise<void>>();
      for (const { name, ends } of list) {
        const last = ends ? held.shift() : undefined;
        if (last !== undefined) places.give(shares(last, 0.5));
        else {
          const taken = places.take(shares(name, 0.5));
          if (taken === undefined) held.push(name);
          else if (taken instanceof Promise) {
            const settled = taken.then(() => {
              held.push(name);
              waiting.delete(settled);
            });
            waiting.add(settled);
          }
        }
        await new Promise(setImmediate);
        assert.ok(places.held === held.length && places.held <= 3);
      }
      while (held.length > 0) {
        places.give(shares(held.shift() ?? '', 0.5));
        await new Promise(setImmediate);
      }
      assert.deepEqual([places.held, waiting.size], [0, 0]);
    }),
    { numRuns: 50 },
  );
});
