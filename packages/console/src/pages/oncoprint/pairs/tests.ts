import { adjusted, type FourCounts, fisherExact, logOddsRatio } from '@ploidy/statistics';
import type { Shape } from '../../../api/lists.ts';

type Pair = Shape<'StudyPairs'>['items'][number];

/** A pair of genes with its tests; null where a count is hidden. */
export interface TestedPair extends Pair {
  /** Logarithm of the odds ratio, each count increased by one half. */
  log2OddsRatio: number | null;
  pValue: number | null;
  qValue: number | null;
}

/** Amount that keeps the odds ratio finite (Haldane 1956). */
const correction = 0.5;

/**
 * Tests pairs by Fisher's exact test, two-sided, and corrects by Benjamini and Hochberg over all tested pairs. Pairs with a
 * gene that is altered in none or in all have nothing to test. `areRounded`: counts are rounded, and nothing is tested.
 */
export function testedPairs(pairs: readonly Pair[], areRounded: boolean): TestedPair[] {
  const counts = pairs.map((pair) => (areRounded ? undefined : countsOf(pair)));
  const values = counts.map((four) => (four && isTestable(four) ? fisherExact(four) : null));
  const corrected = adjusted(values.filter((one) => one !== null));
  let next = 0;
  return pairs.map((pair, at) => {
    const [four, pValue = null] = [counts[at], values[at]];
    const qValue = pValue === null ? null : (corrected[next++] ?? null);
    return { ...pair, log2OddsRatio: four ? logOddsRatio(four, correction) : null, pValue, qValue };
  });
}

function countsOf({ both, firstOnly, secondOnly, neither }: Pair): FourCounts | undefined {
  if (both === null || firstOnly === null || secondOnly === null || neither === null) return undefined;
  return [both, firstOnly, secondOnly, neither];
}

const isTestable = ([a, b, c, d]: FourCounts): boolean => a + b > 0 && c + d > 0 && a + c > 0 && b + d > 0;
