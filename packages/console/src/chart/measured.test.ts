import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grouped, headingOf, measured, measures } from './measured.ts';

const rows = [
  { gene: 'A', class: 'x', n: 1 },
  { gene: 'A', class: 'y', n: 5 },
  { gene: 'B', class: 'x', n: null },
  { gene: 'A', class: 'x', n: 3 },
];

test('each place has one value, of the rows with a number; a count is of all rows', () => {
  const of = (measure: (typeof measures)[number]) =>
    measured(rows, { value: 'n', by: ['gene'], measure }).map((row) => [
      row['gene'],
      row[headingOf(measure, 'n')],
    ]);
  assert.deepEqual(measures.slice(1).map(of), [
    [
      ['A', 3],
      ['B', 1],
    ],
    ...[9, 3, 3, 1, 5].map((value) => [['A', value]]),
  ]);
  assert.equal(measured(rows, { value: 'n', by: ['gene'], measure: 'none' }), rows);
  assert.equal(measured(rows, { value: 'n', by: ['gene', 'class'], measure: 'sum' }).length, 2);
});

test('the median of an even number of values is the mean of the two in the middle', () => {
  const two = [4, 1, 2, 10].map((n) => ({ n }));
  assert.deepEqual(measured(two, { value: 'n', by: [], measure: 'median' }), [{ 'median of n': 3 }]);
});

test('groups beyond the number of colours become one, the largest keep their names', () => {
  const many = ['a', 'b', 'b', 'c', 'c', 'c', null].map((one) => ({ one }));
  const { rows: named, groups } = grouped(many, 'one', 3);
  assert.deepEqual(groups, ['c', 'b', 'other']);
  assert.deepEqual(
    named.map(({ one }) => one),
    ['other', 'b', 'b', 'c', 'c', 'c', 'other'],
  );
  assert.deepEqual(grouped(many, 'one', 4).groups, ['c', 'b', 'a', 'no value']);
});
