/** Correlation and straight lines: pairs of values of independent subjects. */
import { meanOf } from './means.ts';
import { studentQuantile, studentTails } from './probabilities.ts';
import { ranksOf, requireFinite } from './ranks.ts';

export interface Correlation {
  /** Number from −1 to 1. */
  coefficient: number;
  /** Two-sided, by Student's distribution with n − 2 degrees of freedom. */
  p: number;
  count: number;
}

/**
 * Returns the p-value of a coefficient over `count` pairs. Undefined for fewer than three pairs. Of Pearson's coefficient
 * exact for normal values; of Spearman's an approximation.
 */
export function correlationTails(coefficient: number, count: number): number | undefined {
  if (count < 3) return undefined;
  const rest = 1 - coefficient ** 2;
  return rest <= 0 ? 0 : studentTails(coefficient * Math.sqrt((count - 2) / rest), count - 2);
}

/** Measures how near pairs are to a straight line (Pearson). Undefined for fewer than three pairs, or equal values. */
export function pearson(x: readonly number[], y: readonly number[]): Correlation | undefined {
  const { count, xx, yy, xy } = productsOf(x, y);
  if (count < 3 || !(xx > 0 && yy > 0)) return undefined;
  const coefficient = Math.max(-1, Math.min(1, xy / Math.sqrt(xx) / Math.sqrt(yy)));
  return { coefficient, p: correlationTails(coefficient, count) ?? 1, count };
}

/** Measures how nearly one value rises with the other (Spearman): the correlation of the ranks. */
export function spearman(x: readonly number[], y: readonly number[]): Correlation | undefined {
  return pearson(ranksOf(x).ranks, ranksOf(y).ranks);
}

export interface Line {
  slope: number;
  intercept: number;
  /** Standard error of the slope, and its 95 % interval. */
  error: number;
  low: number;
  high: number;
  /** Two-sided p-value of a slope of 0. */
  p: number;
  /** Part of the variance that the line explains. */
  explained: number;
  /** Returns the line at x, with the 95 % interval of the mean there. */
  at: (x: number) => { y: number; low: number; high: number };
}

/**
 * Fits a straight line by least squares. The p-value and the intervals take the distances from the line as independent,
 * normal and of one variance. Undefined for fewer than three pairs, or equal x.
 */
export function regression(x: readonly number[], y: readonly number[]): Line | undefined {
  const { count, meanX, meanY, xx, yy, xy } = productsOf(x, y);
  if (count < 3 || !(xx > 0)) return undefined;
  const slope = xy / xx;
  const intercept = meanY - slope * meanX;
  const rest = Math.max(0, yy - slope * xy);
  const variance = rest / (count - 2);
  const error = Math.sqrt(variance / xx);
  const quantile = studentQuantile(count - 2);
  const p = error === 0 ? Number(slope === 0) : studentTails(slope / error, count - 2);
  const at = (place: number) => {
    const reach = quantile * Math.sqrt(variance * (1 / count + (place - meanX) ** 2 / xx));
    const mean = intercept + slope * place;
    return { y: mean, low: mean - reach, high: mean + reach };
  };
  const reach = quantile * error;
  const explained = yy > 0 ? 1 - rest / yy : 0;
  return { slope, intercept, error, low: slope - reach, high: slope + reach, p, explained, at };
}

/** Returns means and sums of products of the distances from them. RangeError for values that are no numbers. */
function productsOf(x: readonly number[], y: readonly number[]) {
  if (x.length !== y.length) throw new RangeError('Pairs have as many x as y.');
  requireFinite(x);
  requireFinite(y);
  const count = x.length;
  const [meanX, meanY] = [meanOf(x), meanOf(y)];
  let [xx, yy, xy] = [0, 0, 0];
  for (const [at, value] of x.entries()) {
    const [dx, dy] = [value - meanX, (y[at] ?? 0) - meanY];
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return { count, meanX, meanY, xx, yy, xy };
}
