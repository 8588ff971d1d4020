import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareGroupKeys, type Row, TableGroup } from './table-group.ts';

const table = [
  { name: 'name', type: 'string' },
  { name: 'place', type: 'int' },
  { name: 'value', type: 'float' },
] as const;
const text = (bytes: unknown): unknown =>
  bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : bytes;

/** Returns the keys of the first and last row. */
function bounds(rows: Row[]): unknown[] {
  const group = new TableGroup(table, ['name', 'place']);
  for (const row of rows) group.add(row);
  const { first, last } = group.sorted();
  return [first.map(text), last.map(text)];
}

test('rows are sorted by texts as bytes, then by numbers as numbers, NULL last', () => {
  const rows = [
    { name: undefined, place: 1 },
    { name: 'b', place: 10 },
    { name: 'b', place: 9 },
    { name: 'Z', place: undefined },
    { name: 'Z', place: -3 },
  ];
  assert.deepEqual(bounds(rows), [
    ['Z', -3],
    [undefined, 1],
  ]);
  assert.deepEqual(bounds(rows.slice(1, 3)), [
    ['b', 9],
    ['b', 10],
  ]);
});

test('keys of groups compare as rows do', () => {
  const bytes = (word: string) => new TextEncoder().encode(word);
  assert.ok(compareGroupKeys([bytes('a'), 2], [bytes('a'), 10]) < 0);
  assert.ok(compareGroupKeys([bytes('b')], [bytes('a')]) > 0);
  assert.ok(compareGroupKeys([undefined], [bytes('a')]) > 0);
  assert.equal(compareGroupKeys([undefined, 1], [undefined, 1]), 0);
});
