import type { Row } from '../../parquet/index.ts';

/** One end of a fusion: which way the part that is kept runs is the strand of its gene. */
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

/** Returns the columns of a fusion that follow from its ends. */
export function endColumns(left: FusionEnd | undefined, right: FusionEnd | undefined): Row {
  return {
    chromosome1: left?.chromosome,
    start_position1: left?.position,
    end_position1: left?.position,
    chromosome2: right?.chromosome,
    start_position2: right?.position,
    end_position2: right?.position,
  };
}
