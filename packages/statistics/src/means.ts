/** Tests of means: values of independent subjects, nearly normal or many. */
import { finite, studentQuantile, studentTails, varianceRatioTail } from './probabilities.ts';
import { requireFinite } from './ranks.ts';

/** Values of a group as their count, mean and variance (of a sample: divided by n − 1). */
export interface Moments {
  count: number;
  mean: number;
  variance: number;
}

/** Returns the moments of values. RangeError for values that are no numbers. */
export function momentsOf(values: readonly number[]): Moments {
  requireFinite(values);
  const count = values.length;
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { count, mean, variance: squares / (count - 1) };
}

/** Returns the mean; of equal values exactly that value. NaN without values. */
export function meanOf(values: readonly number[]): number {
  const [first = Number.NaN] = values;
  return first + values.reduce((sum, value) => sum + (value - first), 0) / values.length;
}

export interface Welch {
  statistic: number;
  degrees: number;
  p: number;
  /** Mean of the first group minus that of the second, with its 95 % interval. */
  difference: number;
  low: number;
  high: number;
}

/**
 * Tests whether two groups have one mean: Welch's t-test, two-sided; the variances may differ. Undefined for fewer than two
 * values in a group, without any variance, and beyond the range of doubles.
 */
export function welch(one: Moments, other: Moments): Welch | undefined {
  if (one.count < 2 || other.count < 2) return undefined;
  const parts = [one.variance / one.count, other.variance / other.count] as const;
  const square = parts[0] + parts[1];
  const difference = one.mean - other.mean;
  const error = Math.sqrt(square);
  const statistic = difference / error;
  if (!(square > 0) || !finite({ square, ratio: statistic ** 2 })) return undefined;
  const share = parts[0] / square;
  const degrees = 1 / (share ** 2 / (one.count - 1) + (1 - share) ** 2 / (other.count - 1));
  const reach = studentQuantile(degrees) * error;
  const p = studentTails(statistic, degrees);
  return finite({ statistic, degrees, p, difference, low: difference - reach, high: difference + reach });
}

export interface VarianceAnalysis {
  statistic: number;
  /** Degrees of freedom between and within groups. */
  degrees: readonly [between: number, within: number];
  p: number;
}

/**
 * Tests whether groups have one mean: analysis of variance; the variances are taken as equal. Empty groups are left out.
 * Undefined for fewer than two groups, without variance within them, and beyond the range of doubles.
 */
export function varianceAnalysis(groups: readonly Moments[]): VarianceAnalysis | undefined {
  const given = groups.filter(({ count }) => count > 0);
  const all = given.reduce((sum, { count }) => sum + count, 0);
  const degrees = [given.length - 1, all - given.length] as const;
  if (degrees[0] < 1 || degrees[1] < 1) return undefined;
  const mean = given.reduce((sum, one) => sum + one.count * one.mean, 0) / all;
  const between = given.reduce((sum, one) => sum + one.count * (one.mean - mean) ** 2, 0);
  const within = given.reduce((sum, one) => sum + (one.count > 1 ? (one.count - 1) * one.variance : 0), 0);
  if (!(within > 0)) return undefined;
  const statistic = between / degrees[0] / (within / degrees[1]);
  return finite({ statistic, degrees, p: varianceRatioTail(statistic, degrees[0], degrees[1]) });
}
