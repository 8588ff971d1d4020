/** Correlation and straight lines: pairs of values of independent subjects. */
import { meanOf } from './means.ts';
import { finite, studentQuantile, studentTails } from './probabilities.ts';
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

/**
 * Measures how near pairs are to a straight line (Pearson). Undefined for fewer than three pairs, equal values, and distances
 * beyond the range of doubles.
 */
export function pearson(x: readonly number[], y: readonly number[]): Correlation | undefined {
  const { count, xx, yy, xy } = productsOf(x, y);
  if (count < 3 || !(xx > 0 && yy > 0)) return undefined;
  const coefficient = Math.max(-1, Math.min(1, xy / Math.sqrt(xx * yy)));
  return finite({ coefficient, p: correlationTails(coefficient, count) ?? 1, count });
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
 * normal and of one variance. Undefined for fewer than three pairs, equal x, and beyond the range of doubles.
 */
export function regression(x: readonly number[], y: readonly number[]): Line | undefined {
  const { count, meanX, meanY, units, xx, yy, xy, distances } = productsOf(x, y);
  if (count < 3 || !(xx > 0)) return undefined;
  const scaled = xy / xx;
  const unit = units.y / units.x;
  const slope = scaled * unit;
  const intercept = meanY - slope * meanX;
  const rest = distances.reduce((sum, [dx, dy]) => sum + (dy - scaled * dx) ** 2, 0);
  const deviation = Math.sqrt(rest / (count - 2));
  const error = (deviation / Math.sqrt(xx)) * unit;
  const quantile = studentQuantile(count - 2);
  const p = error === 0 ? Number(slope === 0) : studentTails(slope / error, count - 2);
  const at = (place: number) => {
    const reach =
      quantile *
      deviation *
      units.y *
      Math.hypot(1 / Math.sqrt(count), (place - meanX) / units.x / Math.sqrt(xx));
    const mean = intercept + slope * place;
    return { y: mean, low: mean - reach, high: mean + reach };
  };
  const reach = quantile * error;
  const explained = yy > 0 ? 1 - rest / yy : 0;
  return finite({ slope, intercept, error, low: slope - reach, high: slope + reach, p, explained, at });
}

/**
 * Returns means, distances from them, and the sums of their products. Units keep squares within the range of doubles.
 * RangeError for values that are no numbers.
 */
function productsOf(x: readonly number[], y: readonly number[]) {
  if (x.length !== y.length) throw new RangeError('Pairs have as many x as y.');
  requireFinite(x);
  requireFinite(y);
  const count = x.length;
  const [meanX, meanY] = [meanOf(x), meanOf(y)];
  const units = { x: unitOf(x, meanX), y: unitOf(y, meanY) };
  const distances = x.map((value, at): [number, number] => [
    (value - meanX) / units.x,
    ((y[at] ?? 0) - meanY) / units.y,
  ]);
  let [xx, yy, xy] = [0, 0, 0];
  for (const [dx, dy] of distances) {
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return { count, meanX, meanY, units, xx, yy, xy, distances };
}

/** Returns a power of two near the largest distance from the mean: a division by it changes no digit. */
function unitOf(values: readonly number[], mean: number): number {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value - mean)), 0);
  return largest > 0 ? 2 ** Math.floor(Math.log2(largest)) : 1;
}
