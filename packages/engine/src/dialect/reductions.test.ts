/** Reductions whose function names columns: the engine's own mixes up the rows where lists differ in length. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useDialect } from './dialect.fixture.ts';

const { resultOf } = useDialect();

/** Length of the list of each row; `undefined`: no list. */
const lengths = [5, 1, 3, undefined, 1, 2, 40, 7, 1, 9, 12];
const values = lengths.map((length, k) => `(${k}, ${length ?? 'NULL'})`).join(', ');
const rows = `(SELECT k, CAST(k AS VARCHAR) AS word, sequence(1, n) AS l FROM (VALUES ${values}) AS v(k, n)) AS t`;

type Reduced = (list: number[], k: number) => number | string;
const weighted: Reduced = (list, k) => list.reduce((s, x) => (s * 2 + x * k) % 1000003, 10);

const calls: [call: string, of: Reduced][] = [
  ['reduce(l, 10, (s, x) -> (s * 2 + x * k) % 1000003, s -> s)', weighted],
  ['reduce(l, 10, (s, x) -> (s * 2 + x * t.k) % 1000003, s -> s)', weighted],
  ['list_reduce(l, (s, x) -> (s * 2 + x * k) % 1000003, 10)', weighted],
  ['array_reduce(l, (s, x) -> (s * 2 + x * K) % 1000003, 10)', weighted],
  ['reduce(l, 10, (s, x) -> k, s -> s)', (_, k) => k],
  [
    "reduce(l, '', (s, x) -> substr(s || word || x, 1, 30), s -> s)",
    (list, k) => list.reduce((s, x) => `${s}${k}${x}`.slice(0, 30), ''),
  ],
  [
    'list_reduce(l, (s, x, i) -> s + x * k + i * i)',
    (list, k) => list.reduce((s, x, at) => s + x * k + (at + 1) ** 2),
  ],
  [
    'reduce(l, 0, (s, x) -> s + reduce(l, 0, (a, y) -> a + y * x * k + s % 2, a -> a), s -> s)',
    (list, k) => list.reduce((s, x) => s + list.reduce((a, y) => a + y * x * k + (s % 2), 0), 0),
  ],
  [
    'reduce(l, 0, (s, x) -> s + cardinality(filter(l, y -> y < k)), s -> s)',
    (list, k) => list.length * list.filter((y) => y < k).length,
  ],
];

for (const [call, of] of calls)
  test(`${call} sees the columns of its own row, whatever the lengths of the lists`, async () => {
    const expected = lengths.map((length, k) =>
      length === undefined
        ? ''
        : of(
            Array.from({ length }, (_, at) => at + 1),
            k,
          ),
    );
    assert.equal(await resultOf(`SELECT ${call} FROM ${rows} ORDER BY k`), expected.join(';'));
  });

test('a reduction of an empty list is its start, also where other rows have elements', async () => {
  const lists = '(VALUES (1, ARRAY[1, 2]), (2, CAST(ARRAY[] AS INTEGER[])), (3, ARRAY[4])) AS t(k, l)';
  const statement = `SELECT reduce(l, 10, (s, x) -> s + x * k, s -> s) FROM ${lists} ORDER BY k`;
  assert.equal(await resultOf(statement), '13;10;22');
});
