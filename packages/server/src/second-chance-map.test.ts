import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecondChanceMap } from './second-chance-map.ts';

function mapOf(...values: string[]): SecondChanceMap<string> {
  const map = new SecondChanceMap<string>();
  for (const value of values) map.set(value, value);
  return map;
}

const takeAll = (map: SecondChanceMap<string>): string[] => {
  const taken: string[] = [];
  for (let value = map.takeUnused(); value !== undefined; value = map.takeUnused()) taken.push(value);
  return taken;
};

test('the oldest goes first, and what was used goes after all that was not', () => {
  assert.deepEqual(takeAll(mapOf('a', 'b', 'c')), ['a', 'b', 'c']);
  const map = mapOf('a', 'b', 'c', 'd');
  map.get('a');
  map.get('c');
  assert.deepEqual(takeAll(map), ['b', 'd', 'a', 'c']);
  assert.equal(map.size, 0);
});

test('where all were used, the oldest of them goes; a use counts once', () => {
  const map = mapOf('a', 'b');
  map.get('a');
  map.get('b');
  map.get('a');
  assert.deepEqual([map.takeUnused(), map.takeUnused()], ['a', 'b']);
});

test('what is set anew has the new value, and what is deleted is not met again', () => {
  const map = mapOf('a', 'b', 'c');
  map.set('a', 'A');
  map.deleteWhere((value) => value === 'b');
  assert.deepEqual([map.get('a'), map.get('b'), map.size], ['A', undefined, 2]);
  assert.deepEqual(takeAll(map), ['c', 'A']);
});
