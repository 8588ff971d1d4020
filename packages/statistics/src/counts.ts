/** Tests of counts: each subject is counted in one cell, and subjects are independent of each other. */
import { chiSquareTail } from './probabilities.ts';

/** Cells of a 2 × 2 table, row by row. */
export type FourCounts = readonly [a: number, b: number, c: number, d: number];

/** Probabilities that differ by less than this part are equal: sums of doubles miss the last digits. */
const equalWithin = 1e-7;

/**
 * Tests whether two properties of subjects are independent: Fisher's exact test, two-sided. The p-value sums up
 * the tables with the same margins that are at most as probable. RangeError for cells that are no counts.
 */
export function fisherExact([a, b, c, d]: FourCounts): number {
  requireCounts([a, b, c, d]);
  const toLow = tablesFrom([a, b, c, d]);
  // The transposed rows count in the other direction.
  const toHigh = tablesFrom([b, a, d, c]);
  return Math.min(1, (1 + toLow.rare + toHigh.rare) / (1 + toLow.all + toHigh.all));
}

/** Sums the tables with a smaller first cell as multiples of the observed one: all, and those at most as probable. */
function tablesFrom([a, b, c, d]: FourCounts): { all: number; rare: number } {
  let [all, rare] = [0, 0];
  let log = 0;
  for (let step = 1; step <= Math.min(a, d); step++) {
    const ratio = ((a - step + 1) * (d - step + 1)) / ((b + step) * (c + step));
    log += Math.log(ratio);
    all += Math.exp(log);
    if (log <= equalWithin) rare += Math.exp(log);
    // Ratios fall: once below 1, the rest is less than a geometric series.
    if (ratio < 1 && Math.exp(log) < (1 - ratio) * (1 + rare) * 1e-17) break;
  }
  return { all, rare };
}

/**
 * Returns the logarithm to base 2 of the odds ratio, ad / bc. `correction` is added to each cell: 0.5 (Haldane 1956) keeps
 * the number finite for a drawing. NaN where neither product has subjects.
 */
export function logOddsRatio([a, b, c, d]: FourCounts, correction = 0): number {
  requireCounts([a, b, c, d]);
  const [one, two, three, four] = [a + correction, b + correction, c + correction, d + correction];
  return Math.log2((one * four) / (two * three));
}

export interface ChiSquare {
  statistic: number;
  degrees: number;
  p: number;
  /** Smallest expected count. Below 5 the p-value is approximate (Cochran 1954). */
  expectedMin: number;
}

/**
 * Tests whether rows and columns of counts are independent: Pearson's χ² without a correction. Rows and columns without
 * subjects are left out; undefined where fewer than two are left. RangeError for cells that are no counts.
 */
export function chiSquare(table: readonly (readonly number[])[]): ChiSquare | undefined {
  requireCounts(table.flat());
  const totals = table.map(total);
  const columns: number[] = [];
  for (const row of table) for (const [at, count] of row.entries()) columns[at] = (columns[at] ?? 0) + count;
  const rows = totals.filter((count) => count > 0);
  const all = total(rows);
  const filled = columns.filter((count) => count > 0).length;
  if (rows.length < 2 || filled < 2) return undefined;
  const degrees = (rows.length - 1) * (filled - 1);
  let statistic = 0;
  let expectedMin = Number.POSITIVE_INFINITY;
  for (const [place, row] of table.entries())
    for (const [at, column] of columns.entries()) {
      const expected = ((totals[place] ?? 0) / all) * column;
      if (expected === 0) continue;
      statistic += ((row[at] ?? 0) - expected) ** 2 / expected;
      expectedMin = Math.min(expectedMin, expected);
    }
  return { statistic, degrees, p: chiSquareTail(statistic, degrees), expectedMin };
}

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

function requireCounts(counts: readonly number[]): void {
  if (counts.some((count) => !Number.isSafeInteger(count) || count < 0))
    throw new RangeError('A count is a whole number from 0.');
}
