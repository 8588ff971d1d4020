import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adjusted, fisherExact } from './statistics.ts';

test("Fisher's exact test of the tea experiment has the published p-value", () => {
  assert.equal(fisherExact(3, 1, 1, 3).toFixed(4), '0.4857');
  assert.equal(fisherExact(1, 9, 11, 3).toFixed(6), '0.002759');
});

test("Fisher's exact test of equal shares is 1", () => {
  assert.equal(fisherExact(5, 5, 5, 5).toFixed(9), '1.000000000');
  assert.equal(fisherExact(0, 10, 0, 10).toFixed(9), '1.000000000');
});

test('adjusted p-values are those of Benjamini and Hochberg, in the order given', () => {
  const values = adjusted([0.04, 0.01, 0.03, 0.005]).map((value) => value.toFixed(4));
  assert.deepEqual(values, ['0.0400', '0.0200', '0.0400', '0.0200']);
});
