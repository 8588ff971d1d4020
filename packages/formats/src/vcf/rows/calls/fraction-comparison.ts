import type { SampleFields } from './sample-fields.ts';

/** Reads from which a fraction is compared with theirs, and how far callers' estimates are from these at most. */
const [readsMin, distanceMax] = [20, 0.2];

/**
 * Compares the allele fractions that a caller states with those of the reads that it counts. A field of fractions may be of
 * something else than its name: of the normal sample, of a population, or the fraction of another allele. Files in which
 * many calls differ have a warning. Estimates differ a little, because callers leave out reads of low quality.
 */
export class FractionComparison {
  #comparedCount = 0;
  #differingCount = 0;

  /** Adds a call: the stated fraction, that of its reads, and the number of reads of all alleles. */
  add(stated: number, counted: number, reads: number): void {
    if (!(reads >= readsMin)) return;
    this.#comparedCount += 1;
    if (Math.abs(stated - counted) > distanceMax) this.#differingCount += 1;
  }

  /** Returns the counts since the last call. */
  take(): { comparedFractionCount: number; differingFractionCount: number } {
    const counts = {
      comparedFractionCount: this.#comparedCount,
      differingFractionCount: this.#differingCount,
    };
    this.#comparedCount = 0;
    this.#differingCount = 0;
    return counts;
  }
}

/** Returns the fraction of an alternate, from 1, under the first key with one for each alternate; NaN without one. */
export function statedFraction(
  fields: SampleFields,
  slots: readonly number[],
  alternateCount: number,
  alternate: number,
): number {
  for (const slot of slots) {
    if (fields.list(slot) !== alternateCount) continue;
    const fraction = fields.numbers.at(alternate - 1);
    if (fraction <= 1) return fraction;
  }
  return Number.NaN;
}
