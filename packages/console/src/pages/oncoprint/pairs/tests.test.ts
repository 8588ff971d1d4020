import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testedPairs } from './tests.ts';

const pair = (both: number | null, firstOnly: number, secondOnly: number, neither: number) => ({
  ...{ first: 'A', second: 'B', both, firstOnly, secondOnly, neither, leftOut: 0 },
});

test('pairs have the exact test, the corrected p-values and the odds ratio of their counts', () => {
  // Values of SciPy 1.17.1; the second pair has a gene that is altered in none.
  const pairs = [pair(12, 5, 29, 2), pair(0, 0, 4, 9), pair(60, 10, 12, 18), pair(0, 10, 10, 0)];
  const tested = testedPairs(pairs, false);
  const values = tested.map(({ pValue }) => pValue && Number(pValue.toPrecision(6)));
  assert.deepEqual(values, [0.0802686, null, 0.0000132291, 0.0000108251]);
  assert.deepEqual(
    tested.map(({ qValue }) => qValue && Number(qValue.toPrecision(6))),
    [0.0802686, null, 0.0000198436, 0.0000198436],
  );
  assert.ok(Math.abs((tested[2]?.log2OddsRatio ?? 0) - Math.log2((60.5 * 18.5) / (10.5 * 12.5))) < 1e-12);
});

test('counts that are hidden or rounded are not tested', () => {
  const [hidden, shown] = testedPairs([pair(null, 10, 20, 30), pair(5, 10, 20, 30)], false);
  assert.deepEqual([hidden?.pValue, hidden?.qValue, hidden?.log2OddsRatio], [null, null, null]);
  assert.equal(typeof shown?.pValue, 'number');
  const [rounded] = testedPairs([pair(5, 10, 20, 30)], true);
  assert.deepEqual([rounded?.pValue, rounded?.qValue, rounded?.log2OddsRatio], [null, null, null]);
});
