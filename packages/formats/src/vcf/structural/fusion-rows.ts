import { jsonOf } from '../../delimited/index.ts';
import { endColumns, rearrangementOf } from '../../omic/fusion/rearrangement.ts';
import type { Row } from '../../parquet/index.ts';
import type { Joint, StructuralAlternate } from './alternate.ts';
import { genesOf, joinedGenes } from './genes.ts';
import { ordered } from './joint-order.ts';
import type { StructuralAnnotation } from './own-annotations.ts';
import { attributesOfEvidence, type StructuralRecord, type StructuralSample } from './structural-record.ts';

type JointAlternate = Extract<StructuralAlternate, { kind: 'joint' }>;

/** Names of effects for symbols that name them themselves. */
const effectOfSymbol: ReadonlyMap<string, string> = new Map([['INV', 'inversion']]);

/** Returns whether a sample has the joint: by its genotype, else by reads; for one sample the record is enough. */
export function hasJoint(record: StructuralRecord, sample: StructuralSample, place: number): boolean {
  if (!record.hasSamples) return record.isSupported(sample) !== false;
  if (sample.alleles.some((allele) => allele !== undefined)) return sample.alleles.includes(place + 1);
  if (record.isUncalled && record.isSupported(sample)) return true;
  return record.isSupported(sample) ?? (record.samples.length === 1 && sample.genotype === undefined);
}

/**
 * Makes the row of a sample with the joint. A joint of two breakends has two records, each with the gene at its own end: their rows
 * have the same `_joint`, and are merged later. `key`: the value of `_joint`.
 */
export function fusionRow(
  record: StructuralRecord,
  { joint, symbol }: JointAlternate,
  annotations: readonly StructuralAnnotation[],
  key: string,
  sample: StructuralSample,
): Row & { _joint: string } {
  const { left, right } = ordered(joint);
  const genes = genesOf(record, annotations);
  const [gene1, gene2] = joinedGenes(annotations) ?? genesAtEnds(record, { left, right }, symbol, genes);
  const effect = effectOfSymbol.get(symbol ?? '') ?? rearrangementOf(left, right);
  return {
    gene1,
    gene2,
    effect,
    ...endColumns(left, right),
    in_frame: 'unknown',
    attributes: jsonOf({
      id: record.id,
      type: record.info('SVTYPE') ?? symbol,
      event: record.info('EVENT'),
      strand1: left.strand,
      strand2: right.strand,
      quality: record.quality,
      ...attributesOfEvidence(record, sample),
      imprecise: record.info('IMPRECISE') === undefined ? undefined : true,
      genes: genes.length > 1 ? genes : undefined,
    }),
    _joint: key,
  };
}

/** Drops the genes of an inversion in one record: they are between its ends, and the end of each is unknown. */
function genesAtEnds(
  record: StructuralRecord,
  { left, right }: Joint,
  symbol: string | undefined,
  [gene]: readonly string[],
): [string | undefined, string | undefined] {
  if (symbol === 'INV') return [undefined, undefined];
  const isLeft = left.chromosome === record.chromosome && left.position === record.position;
  const isRight = right.chromosome === record.chromosome && right.position === record.position;
  return isLeft ? [gene, isRight ? gene : undefined] : [undefined, gene];
}
