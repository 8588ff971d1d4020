import assert from 'node:assert/strict';
import { test } from 'node:test';
import { common, lacks } from './questions.ts';

test('two answers have in common what neither time nor a restart changes', () => {
  const first = { id: 'a', url: 'one', items: [{ id: 1, url: 'x' }, 'y'], rows: [[1], [2]] };
  const second = { id: 'a', url: 'two', items: [{ id: 1, url: 'z' }, 'w'], rows: [[1], [2]] };
  const any = { $any: true };
  assert.deepEqual(common(first, second), { id: 'a', items: [{ id: 1 }, any], rows: [[1], [2]] });
  assert.equal(common([1], [1, 2]), undefined);
});

test('a later answer may add fields and objects, and lacks what it changes, drops or moves', () => {
  const then = { status: 200, body: { rows: [[1], [2]], items: [{ id: 1 }, { id: 2 }] } };
  const answer = (rows: unknown, items: unknown, more = {}) => ({
    status: 200,
    body: { rows, items, ...more },
  });
  const items = [{ id: 1 }, { id: 2 }];
  assert.deepEqual(
    lacks(then, answer([[1], [2]], [{ id: 0 }, { id: 1, more: 1 }, { id: 2 }], { next: 1 })),
    [],
  );
  assert.deepEqual(lacks(then, answer([[1], [3]], items)), ['/body/rows/1/0: 3 instead of 2']);
  assert.equal(lacks(then, answer([[1], [2], [3]], items)).length, 1);
  assert.equal(lacks(then, answer([[2], [1]], items)).length, 2);
  assert.equal(lacks(then, answer([[1], [2]], [{ id: 2 }, { id: 0 }, { id: 1 }])).length, 1);
  assert.equal(lacks(then, answer([[1], [2]], [{ id: 1 }])).length, 1);
  assert.deepEqual(lacks(then, { ...then, status: 403 }), ['/status: 403 instead of 200']);
  assert.equal(lacks(then, undefined).length, 1);
});
