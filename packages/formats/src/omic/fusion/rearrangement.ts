/** End of a fusion: the strand of its gene is the direction of the kept part. */
export interface FusionEnd {
  chromosome: string | undefined;
  position: number | undefined;
  /** `+`, `-` or unknown. */
  strand?: string | undefined;
}

/** Returns the rearrangement that joined two genes, named as in Arriba; undefined if unknown. */
export function rearrangementOf(left: FusionEnd, right: FusionEnd): string | undefined {
  if (left.chromosome === undefined || right.chromosome === undefined) return undefined;
  if (left.chromosome !== right.chromosome) return 'translocation';
  if (!left.strand || !right.strand) return undefined;
  if (left.strand !== right.strand) return 'inversion';
  if (left.position === undefined || right.position === undefined) return undefined;
  const isForward = left.position < right.position;
  return isForward === (left.strand === '+') ? 'deletion' : 'duplication';
}
