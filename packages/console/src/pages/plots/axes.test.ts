import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisName, axisOptions, cornersOf, isInRegion, plottedOf, violinOf } from './axes.ts';

test('two numbers have correlations and a line; a logarithm leaves out what is not above 0', () => {
  const points = [1, 2, 3, 4, 0].map((x) => ({ x, y: 2 * x + 1 }));
  const plain = plottedOf(points, { x: false, y: false });
  assert.deepEqual([plain.kind, plain.hidden], ['numbers', 0]);
  assert.ok(Math.abs((plain.line?.slope ?? 0) - 2) < 1e-12);
  assert.match(plain.words.join('. '), /n = 5\. Pearson r = 1\.00, p < 1e-300\. Spearman ρ = 1\.00/);
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

test('a region has the points inside its line, on the scale of its axes', () => {
  const hook = [
    [0, 0],
    [10, 0],
    [10, 10],
    [8, 10],
    [8, 2],
    [0, 2],
  ] as const;
  const inside = (x: number, y: number, logs = ''): boolean => isInRegion({ x, y }, cornersOf(hook), logs);
  assert.deepEqual([inside(5, 1), inside(9, 9), inside(5, 5), inside(11, 1)], [true, true, false, false]);
  // Half way between 1 and 100 is 10 on a logarithmic scale.
  const triangle = cornersOf([
    [1, 1],
    [100, 1],
    [100, 100],
  ]);
  const at = (logs: string): boolean => isInRegion({ x: 11, y: 10 }, triangle, logs);
  assert.deepEqual([at('xy'), at('')], [true, true]);
  assert.ok(isInRegion({ x: 50, y: 5 }, triangle, 'x') && !isInRegion({ x: 2, y: 20 }, triangle, 'x'));
  const long = cornersOf(
    Array.from({ length: 500 }, (_, turn) => [Math.cos(turn / 80), Math.sin(turn / 80)]),
  );
  assert.ok(long.length <= 60 && long.length > 50);
  assert.ok(isInRegion({ x: 0.1, y: 0.1 }, long, '') && !isInRegion({ x: 0.9, y: 0.9 }, long, ''));
});

test('a violin has the quartiles, the whiskers of Tukey, and a density within its values', () => {
  const values = [1, 2, 2, 3, 4, 4, 4, 5, 6, 30];
  const found = violinOf(values);
  assert.deepEqual([found.q1, found.median, found.q3, found.low, found.high], [2.25, 4, 4.75, 1, 6]);
  assert.deepEqual(found.outliers, [30]);
  const [first] = found.density;
  assert.deepEqual([first?.value, found.density.at(-1)?.value], [1, 30]);
  // Width by Silverman (1986): the standard deviation times (3 n / 4) to the power of -1/5.
  const width = 8.530338015967871 * 7.5 ** -0.2;
  const kernels = values.map((one) => Math.exp(-((1 - one) ** 2) / (2 * width ** 2)));
  const height = kernels.reduce((sum, one) => sum + one) / (10 * width * Math.sqrt(2 * Math.PI));
  assert.ok(Math.abs((first?.height ?? 0) - height) < 1e-9);
  assert.deepEqual(violinOf([7, 7]).density, []);
});
