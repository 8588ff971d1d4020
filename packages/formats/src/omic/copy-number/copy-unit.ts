import type { Doubt } from '../format.ts';

const looksRelative =
  'Most numbers of copies are fractions around 1, as ratios to a normal sample are, so copy_number is NULL. Ingest a file with numbers of copies, or a table of segments with a column ratio or log2.';

/** Half the width of the range around a number of copies within which estimates of it are. */
const nearMax = 0.3;
const isNear = (copies: number, whole: number): boolean => Math.abs(copies - whole) < nearMax;

/**
 * Judges whether the numbers of copies in a file are numbers of copies. Most of a genome has two copies, so that estimates are around 2.
 * A file of ratios has values around 1 instead: read as copies, each of them would be a loss. Whole numbers are no ratios: a list of
 * losses may have 1 alone.
 */
export class CopyUnit {
  #count = 0;
  #fractionCount = 0;
  #nearOneCount = 0;
  #nearTwoCount = 0;

  /** Adds a number as the file has it. */
  add(copies: number): void {
    this.#count += 1;
    if (!Number.isInteger(copies)) this.#fractionCount += 1;
    if (isNear(copies, 1)) this.#nearOneCount += 1;
    if (isNear(copies, 2)) this.#nearTwoCount += 1;
  }

  get #areRatios(): boolean {
    const most = (count: number): boolean => count * 2 > this.#count;
    return most(this.#fractionCount) && most(this.#nearOneCount) && this.#nearOneCount > this.#nearTwoCount;
  }

  /** Returns the doubt about these columns, if there is one. */
  doubts(columns: readonly string[]): Doubt[] {
    return this.#areRatios ? [{ columns, message: looksRelative }] : [];
  }
}
