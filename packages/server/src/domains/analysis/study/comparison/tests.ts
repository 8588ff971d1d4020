import {
  chiSquare,
  fisherExact,
  kruskalWallisOf,
  logOddsRatio,
  type Moments,
  mannWhitneyOf,
  varianceAnalysis,
  welch,
} from '@ploidy/statistics';

/** Numbers of a group behind a test. */
interface Tested {
  /** Patients that are compared: profiled, or with a value. */
  count: number;
  /** Patients of them that are altered, or have the value. */
  having?: number;
  mean?: number;
  median?: number;
}

/** Outcome of a test. `higher`: place of the group with the largest share, mean or median. */
export interface Outcome {
  test: 'fisher' | 'chiSquare' | 'wilcoxon' | 'kruskalWallis' | 'welch' | 'anova';
  p: number;
  statistic: number | null;
  /** Effect between two groups: log2 of the odds ratio with 0.5 added to each count, or difference of means. */
  effect: number | null;
  higher: number;
  /** Smallest expected count of χ². */
  expectedMin?: number;
  groups: Tested[];
}

/** Ranks of a group, with its median. */
export interface Ranked {
  count: number;
  rankSum: number;
  median: number | null;
}

/** Compares shares: Fisher's exact test for two groups, χ² for more. Groups without subjects are left out. */
export function shareTest(groups: readonly { count: number; having: number }[]): Outcome | undefined {
  const given = groups.filter(({ count }) => count > 0);
  const all = given.reduce((sum, { count }) => sum + count, 0);
  const having = given.reduce((sum, one) => sum + one.having, 0);
  const [one, other] = given;
  if (!one || !other || having === 0 || having === all) return undefined;
  const common = {
    higher: highest(groups, ({ count, having: altered }) => (count > 0 ? altered / count : -1)),
    groups: groups.map(({ count, having: altered }) => ({ count, having: altered })),
  };
  if (given.length === 2) {
    const table = [one.having, one.count - one.having, other.having, other.count - other.having] as const;
    return {
      ...common,
      test: 'fisher',
      p: fisherExact(table),
      statistic: null,
      effect: logOddsRatio(table, 0.5),
    };
  }
  const found = chiSquare(given.map(({ count, having: altered }) => [altered, count - altered]));
  return found && { ...common, ...chiSquareOutcome(found) };
}

const chiSquareOutcome = ({
  p,
  statistic,
  expectedMin,
}: {
  p: number;
  statistic: number;
  expectedMin: number;
}) => ({
  ...{ test: 'chiSquare' as const, p, statistic, expectedMin, effect: null },
});

/** Compares the values of a category: χ² over all of them. `counts`: a row per group. */
export function categoryTest(counts: readonly (readonly number[])[]): Outcome | undefined {
  const found = chiSquare(counts);
  const groups = counts.map((row) => ({ count: row.reduce((sum, count) => sum + count, 0) }));
  return found && { ...chiSquareOutcome(found), higher: -1, groups };
}

/** Compares numbers by their ranks: Wilcoxon's rank sum test for two groups, Kruskal and Wallis for more. */
export function rankTest(groups: readonly Ranked[], ties: number): Outcome | undefined {
  const given = groups.filter(({ count }) => count > 0);
  const [one, other] = given;
  if (!one || !other) return undefined;
  const common = {
    effect: null,
    higher: highest(groups, ({ count, rankSum }) => (count > 0 ? rankSum / count : -1)),
    groups: groups.map(({ count, median }) => ({ count, ...(median !== null && { median }) })),
  };
  if (given.length === 2) {
    const found = mannWhitneyOf(one, other, ties);
    return found && { ...common, test: 'wilcoxon', p: found.p, statistic: found.statistic };
  }
  const found = kruskalWallisOf(given, ties);
  return found && { ...common, test: 'kruskalWallis', p: found.p, statistic: found.statistic };
}

/** Compares means: Welch's t-test for two groups, analysis of variance for more; two values or more in each group. */
export function meanTest(groups: readonly Moments[]): Outcome | undefined {
  const given = groups.filter(({ count }) => count > 1);
  const [one, other] = given;
  if (!one || !other) return undefined;
  const common = {
    higher: highest(groups, ({ count, mean }) => (count > 1 ? mean : Number.NEGATIVE_INFINITY)),
    groups: groups.map(({ count, mean }) => ({ count, ...(count > 0 && { mean }) })),
  };
  if (given.length === 2) {
    const found = welch(one, other);
    return (
      found && { ...common, test: 'welch', p: found.p, statistic: found.statistic, effect: found.difference }
    );
  }
  const found = varianceAnalysis(given);
  return found && { ...common, test: 'anova', p: found.p, statistic: found.statistic, effect: null };
}

function highest<T>(groups: readonly T[], of: (group: T) => number): number {
  const numbers = groups.map(of);
  return numbers.indexOf(Math.max(...numbers));
}
