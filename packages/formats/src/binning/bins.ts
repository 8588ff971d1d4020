/** The binning scheme of BAI and tabix (SAMv1 §5.3): six levels, from one bin of 512 Mb down to bins of 16 kb. */

/** First bin of each level, and how many bits of a position its bins span. */
const levels = [
  { first: 0, shift: 29 },
  { first: 1, shift: 26 },
  { first: 9, shift: 23 },
  { first: 73, shift: 20 },
  { first: 585, shift: 17 },
  { first: 4681, shift: 14 },
] as const;

/** End of the positions; longer sequences need a CSI index. */
export const positionsMax = 2 ** 29;
/** Bits of a position within one window of the linear index. */
export const windowShift = 14;

/** Bins of one level: `first` to `last`. */
interface BinRange {
  first: number;
  last: number;
  /** Last bin of the level. */
  levelLast: number;
}

/**
 * Returns the bins that may hold records that overlap `[begin, end)`, as one range for each level. 0 ≤ begin < end ≤
 * `positionsMax`.
 */
export function binsOverlapping(begin: number, end: number): BinRange[] {
  return levels.map(({ first, shift }) => ({
    first: first + (begin >>> shift),
    last: first + ((end - 1) >>> shift),
    levelLast: first + ((positionsMax - 1) >>> shift),
  }));
}
