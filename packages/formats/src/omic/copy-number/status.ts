/** What a number of copies means. */
export const copyNumberStatuses = ['loss', 'partialLoss', 'neutral', 'gain', 'amplification'] as const;

export type CopyNumberStatus = (typeof copyNumberStatuses)[number];

const amplificationMin = 6;

/** Of a diploid chromosome; numbers between are rounded. */
export function statusOf(copyNumber: number | undefined): CopyNumberStatus | undefined {
  if (copyNumber === undefined) return undefined;
  const copies = Math.round(copyNumber);
  if (copies <= 0) return 'loss';
  if (copies === 1) return 'partialLoss';
  if (copies === 2) return 'neutral';
  return copies >= amplificationMin ? 'amplification' : 'gain';
}

/** Copies by the logarithm (base 2) of the ratio to a diploid reference. */
export function copiesOfLog2(log2: number | undefined): number | undefined {
  return log2 === undefined ? undefined : 2 * 2 ** log2;
}
