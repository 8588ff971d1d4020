import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisName, axisOptions, plottedOf } from './axes.ts';

test('two numbers have correlations and a line; a logarithm leaves out what is not above 0', () => {
  const points = [1, 2, 3, 4, 0].map((x) => ({ x, y: 2 * x + 1 }));
  const plain = plottedOf(points, { x: false, y: false });
  assert.deepEqual([plain.kind, plain.hidden], ['numbers', 0]);
  assert.ok(Math.abs((plain.line?.slope ?? 0) - 2) < 1e-12);
  assert.match(plain.words.join('. '), /n = 5\. Pearson r = 1\.00, p = .*Spearman ρ = 1\.00/);
  const logged = plottedOf(points, { x: true, y: false });
  assert.deepEqual([logged.points.length, logged.hidden], [4, 1]);
  assert.match(logged.words.join('. '), /logarithms to base 10/);
});

test('a number and a category are boxes with a test of ranks, two categories counts with χ²', () => {
  const boxes = plottedOf(
    [1, 2, 3, 10, 11, 12].map((y, at) => ({ x: at < 3 ? 'a' : 'b', y })),
    { x: false, y: false },
  );
  assert.deepEqual([boxes.kind, boxes.words], ['boxes', ['n = 6', 'Wilcoxon p = 0.100']]);
  const counts = plottedOf(
    ['a', 'a', 'b', 'b'].map((x) => ({ x, y: x === 'a' ? 'c' : 'd' })),
    { x: false, y: false },
  );
  assert.equal(counts.kind, 'counts');
  assert.match(counts.words.join(), /χ² = 4\.00.*approximate/);
  assert.deepEqual(plottedOf([], { x: false, y: false }).words, ['n = 0']);
});

test('a typed gene has axes of its own, and a chosen one stays in the list', () => {
  const values = (typed: string, chosen?: string) => axisOptions([], typed, chosen).map(({ value }) => value);
  assert.deepEqual(values('tp53'), ['expression:TP53', 'mutation:TP53', 'copy_number:TP53', 'fusion:TP53']);
  assert.deepEqual(values('no gene', 'expression:MYC'), ['expression:MYC']);
  assert.equal(axisName('copy_number:MYC', []), 'Copy number of MYC');
});
