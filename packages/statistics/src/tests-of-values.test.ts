/** Tests of counts, ranks, means and correlations against values of SciPy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pearson, regression, spearman } from './correlation.ts';
import { chiSquare, fisherExact, logOddsRatio } from './counts.ts';
import { momentsOf, varianceAnalysis, welch } from './means.ts';
import { adjusted } from './probabilities.ts';
import { kruskalWallis, mannWhitney, ranksOf } from './ranks.ts';

const near = (found: number | undefined, wanted: number): void => {
  assert.ok(
    found !== undefined && Math.abs(found - wanted) <= 5e-7 * Math.abs(wanted),
    `${found} is not ${wanted}`,
  );
};

test("Fisher's exact test and the odds ratio of five tables", () => {
  const cases: [[number, number, number, number], number, number][] = [
    [[12, 5, 29, 2], 0.08026855, -2.594947],
    [[8, 2, 1, 5], 0.03496503, 4.321928],
    [[60, 10, 12, 18], 1.322906e-5, 3.169925],
    [[30, 12, 15, 0], 0.02447744, Number.NEGATIVE_INFINITY],
    [[0, 10, 10, 0], 1.082509e-5, Number.NEGATIVE_INFINITY],
    [[3, 1, 1, 3], 0.4857142857, Math.log2(9)],
    [[1, 9, 11, 3], 0.0027594561, Math.log2(3 / 99)],
  ];
  for (const [table, p, odds] of cases) {
    near(fisherExact(table), p);
    if (Number.isFinite(odds)) near(logOddsRatio(table), odds);
    else assert.equal(logOddsRatio(table), odds);
  }
  near(fisherExact([5, 5, 5, 5]), 1);
  assert.equal(fisherExact([0, 0, 0, 0]), 1);
  near(logOddsRatio([30, 12, 15, 0], 0.5), Math.log2((30.5 * 0.5) / (12.5 * 15.5)));
});

test('corrected p-values are those of Benjamini and Hochberg, in the order given', () => {
  const found = adjusted([0.01, 0.02, 0.03, 0.04, 0.05, 0.2, 0.6, 1e-5, 0.03, 0.9]);
  const wanted = [0.05, 0.06, 0.06, 0.2 / 3, 0.5 / 7, 0.25, 2 / 3, 1e-4, 0.06, 0.9];
  for (const [at, value] of wanted.entries()) near(found[at], value);
});

test('χ² of two tables', () => {
  const first = chiSquare([
    [10, 20, 30],
    [6, 9, 17],
    [14, 5, 21],
  ]);
  near(first?.statistic, 8.02973);
  near(first?.p, 0.09049518);
  assert.equal(first?.degrees, 4);
  const altered = chiSquare([
    [12, 88],
    [30, 70],
    [25, 75],
  ]);
  near(altered?.statistic, 9.954519);
  near(altered?.p, 0.006892926);
  near(altered?.expectedMin, 67 / 3);
});

test('rows and columns without subjects do not change χ²; one row has no test', () => {
  const whole = chiSquare([
    [12, 0, 88],
    [30, 0, 70],
    [0, 0, 0],
  ]);
  assert.deepEqual(
    whole,
    chiSquare([
      [12, 88],
      [30, 70],
    ]),
  );
  assert.equal(chiSquare([[12, 88]]), undefined);
  assert.equal(chiSquare([[12], [3]]), undefined);
  assert.equal(chiSquare([]), undefined);
  assert.equal(
    chiSquare([
      [0, 0],
      [0, 0],
    ]),
    undefined,
  );
});

test('Kruskal and Wallis with equal values', () => {
  const found = kruskalWallis([
    [1, 2, 2, 3, 5],
    [2, 4, 4, 5, 6],
    [1, 1, 2, 3, 3],
  ]);
  near(found?.statistic, 4.827407);
  near(found?.p, 0.08948326);
  assert.equal(kruskalWallis([[1, 1], [1]]), undefined);
});

const one = [1.1, 2.3, 2.3, 3.8, 4, 5.5];
const other = [2.3, 4.1, 4.8, 6, 6.2, 7.7, 8.1];

test("Wilcoxon's test with equal values is normal, with and without the correction", () => {
  near(mannWhitney(one, other, { continuity: false })?.p, 0.03118305);
  near(mannWhitney(one, other)?.p, 0.03725991);
  assert.equal(mannWhitney(one, other)?.method, 'normal');
});

test("Wilcoxon's test of few different values counts the orders", () => {
  assert.deepEqual(mannWhitney([1, 2, 3], [4, 5, 6]), { statistic: 0, p: 0.1, method: 'exact' });
  assert.equal(mannWhitney([1, 1], [1, 1]), undefined);
  assert.equal(mannWhitney([], [1, 1]), undefined);
});

test("Welch's test, and the analysis of variance", () => {
  const found = welch(momentsOf(one), momentsOf(other));
  near(found?.statistic, -2.427599);
  near(found?.degrees, 10.906781);
  near(found?.p, 0.0337257);
  const groups = [
    [2.9, 3, 2.5, 2.6, 3.2],
    [3.8, 2.7, 4, 2.4],
    [2.8, 3.4, 3.7, 2.2, 2],
  ];
  const analysis = varianceAnalysis(groups.map(momentsOf));
  near(analysis?.statistic, 0.5600733);
  near(analysis?.p, 0.586633);
  assert.equal(welch(momentsOf([1, 1]), momentsOf([0.1, 0.1, 0.1])), undefined);
  assert.equal(welch(momentsOf([1]), momentsOf([1, 2])), undefined);
});

test('correlations of a straight line, and of none', () => {
  const x = [1, 2, 3, 4, 5];
  near(pearson(x, [2, 4, 6, 8, 10])?.coefficient, 1);
  assert.ok((pearson(x, [2, 4, 6, 8, 10])?.p ?? 1) < 1e-20);
  near(spearman(x, [1, 8, 27, 64, 125])?.coefficient, 1);
  assert.equal(pearson(x, [0.1, 0.1, 0.1, 0.1, 0.1]), undefined);
  assert.equal(pearson([1, 2], [2, 1]), undefined);
  const line = regression(x, [2.1, 3.9, 6.2, 7.8, 10.1]);
  near(line?.slope, 1.99);
  near(line?.intercept, 0.05);
  assert.deepEqual(ranksOf([3, 1, 3, 2]), { ranks: [3.5, 1, 3.5, 2], ties: 6 });
});

test('values that are no numbers are refused', () => {
  const wrong = Number.NaN;
  assert.throws(() => ranksOf([1, wrong]), RangeError);
  assert.throws(() => momentsOf([1, wrong]), RangeError);
  assert.throws(() => pearson([1, wrong], [1, 2]), RangeError);
  assert.throws(() => pearson([1, 2, 3], [1, 2]), RangeError);
  assert.throws(() => adjusted([0.5, wrong]), RangeError);
  assert.throws(() => adjusted([1.5]), RangeError);
  assert.throws(() => fisherExact([1, 2, wrong, 3]), RangeError);
  assert.throws(() => fisherExact([1, 2, -1, 3]), RangeError);
  assert.throws(
    () =>
      chiSquare([
        [1.5, 2],
        [3, 4],
      ]),
    RangeError,
  );
});
