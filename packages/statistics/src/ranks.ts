/** Tests of ranks: values of independent subjects, of any distribution. */
import { chiSquareTail, normalTails } from './probabilities.ts';

/** Largest smaller group whose distribution is enumerated, as in SciPy. */
const exactMax = 8;

/** Returns ranks from 1; equal values have the mean of theirs. `ties`: sum of t³ − t over groups of t equal values. */
export function ranksOf(values: readonly number[]): { ranks: number[]; ties: number } {
  requireFinite(values);
  const order = values
    .map((value, index) => ({ value, index }))
    .sort((one, other) => one.value - other.value);
  const ranks = new Array<number>(values.length);
  let ties = 0;
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && order[to]?.value === order[from]?.value) to += 1;
    for (const { index } of order.slice(from, to)) ranks[index] = (from + to + 1) / 2;
    ties += (to - from) ** 3 - (to - from);
    from = to;
  }
  return { ranks, ties };
}

/** RangeError for values that are no numbers. */
export function requireFinite(values: readonly number[]): void {
  if (!values.every(Number.isFinite)) throw new RangeError('A value is a finite number.');
}

/** Group in a ranking of all values. */
export interface RankedGroup {
  count: number;
  rankSum: number;
}

/** Ranks the values of groups together. */
function ranked(groups: readonly (readonly number[])[]): { of: RankedGroup[]; ties: number } {
  const { ranks, ties } = ranksOf(groups.flat());
  let from = 0;
  const of = groups.map(({ length }) => {
    const rankSum = ranks.slice(from, from + length).reduce((sum, rank) => sum + rank, 0);
    from += length;
    return { count: length, rankSum };
  });
  return { of, ties };
}

export interface MannWhitney {
  /** U of the first group. */
  statistic: number;
  p: number;
  /** `exact`: a group of up to 8 values, none of them equal. */
  method: 'exact' | 'normal';
}

/** Choice of a normal approximation. */
interface Approximation {
  /** True by default: half a rank nearer to the mean. */
  continuity?: boolean;
}

/** Tests whether values of one group tend to be larger: Wilcoxon's rank sum test (Mann–Whitney), two-sided. */
export function mannWhitney(
  one: readonly number[],
  other: readonly number[],
  approximation?: Approximation,
): MannWhitney | undefined {
  const { of, ties } = ranked([one, other]);
  return mannWhitneyOf(of[0] ?? none, of[1] ?? none, ties, approximation);
}

const none: RankedGroup = { count: 0, rankSum: 0 };

/**
 * Tests two groups by their rank sums. `ties`: sum of t³ − t over groups of t equal values. Undefined for an empty group, and
 * where all values are equal.
 */
export function mannWhitneyOf(
  one: RankedGroup,
  other: RankedGroup,
  ties: number,
  { continuity = true }: Approximation = {},
): MannWhitney | undefined {
  const all = one.count + other.count;
  const pairs = one.count * other.count;
  const variance = (pairs / 12) * (all + 1 - ties / (all * (all - 1)));
  if (pairs === 0 || variance <= all * 1e-12) return undefined;
  const statistic = one.rankSum - (one.count * (one.count + 1)) / 2;
  const least = Math.min(statistic, pairs - statistic);
  if (ties === 0 && Math.min(one.count, other.count) <= exactMax)
    return { statistic, p: exactTails(one.count, other.count, least), method: 'exact' };
  const distance = Math.max(0, pairs / 2 - least - (continuity ? 0.5 : 0));
  return { statistic, p: normalTails(distance / Math.sqrt(variance)), method: 'normal' };
}

/** Returns twice the probability of a U of `least` or less: coefficients of the Gaussian binomial (Mann and Whitney 1947). */
function exactTails(one: number, other: number, least: number): number {
  const [few, many] = [Math.min(one, other), Math.max(one, other)];
  const ways = new Float64Array(least + 1);
  ways[0] = 1;
  let all = 1;
  for (let step = 1; step <= few; step++) {
    const up = many + step;
    for (let at = least; at >= up; at--) ways[at] = (ways[at] ?? 0) - (ways[at - up] ?? 0);
    for (let at = step; at <= least; at++) ways[at] = (ways[at] ?? 0) + (ways[at - step] ?? 0);
    all *= up / step;
  }
  return Math.min(1, (2 * ways.reduce((sum, way) => sum + way, 0)) / all);
}

export interface RankTest {
  statistic: number;
  degrees: number;
  p: number;
}

/** Tests whether groups have values of one distribution: Kruskal and Wallis, corrected for ties, by χ². */
export function kruskalWallis(groups: readonly (readonly number[])[]): RankTest | undefined {
  const { of, ties } = ranked(groups);
  return kruskalWallisOf(of, ties);
}

/** Tests groups by their rank sums; empty groups are left out. Undefined for fewer than two, and where all values are equal. */
export function kruskalWallisOf(groups: readonly RankedGroup[], ties: number): RankTest | undefined {
  const given = groups.filter(({ count }) => count > 0);
  const all = given.reduce((sum, { count }) => sum + count, 0);
  const correction = 1 - ties / (all ** 3 - all);
  if (given.length < 2 || !(correction > 1e-12)) return undefined;
  const mean = (all + 1) / 2;
  const squares = given.reduce((sum, { count, rankSum }) => sum + count * (rankSum / count - mean) ** 2, 0);
  const statistic = ((12 / all) * squares) / (all + 1) / correction;
  const degrees = given.length - 1;
  return { statistic, degrees, p: chiSquareTail(statistic, degrees) };
}
