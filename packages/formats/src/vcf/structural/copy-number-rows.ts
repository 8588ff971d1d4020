import { jsonOf } from '../../delimited/index.ts';
import { statusOf } from '../../omic/copy-number/status.ts';
import type { Row } from '../../parquet/index.ts';
import type { StructuralAlternate } from './alternate.ts';
import type { StructuralRecord, StructuralSample } from './structural-record.ts';

type Copies = Extract<StructuralAlternate, { kind: 'copies' }>;

/** Where a deletion or duplication is: POS is the base before it (VCF 4.3 §1.6.1), END its last. */
export function segmentOf(
  record: StructuralRecord,
  place: number,
): { start: number; end: number | undefined } {
  const { position } = record;
  const length = Math.abs(record.infoNumber('SVLEN', place) ?? 0);
  const given = record.infoNumber('END');
  const end = given !== undefined && given >= position ? given : length > 0 ? position + length : undefined;
  return { start: end === undefined ? position + 1 : Math.min(position + 1, end), end };
}

/**
 * Whether the row of a sample stands with this alternate: the first that its genotype names. Without a genotype a number of copies tells, or that
 * the record can only be of this sample; such a row stands with the first alternate.
 */
export function hasCopies(
  record: StructuralRecord,
  sample: StructuralSample,
  place: number,
  alternates: readonly (StructuralAlternate | undefined)[],
): boolean {
  if (!record.hasSamples) return true;
  const isCalled = sample.alleles.some((allele) => allele !== undefined);
  const first = alternates.findIndex(
    (alternate, at) => alternate?.kind === 'copies' && (!isCalled || sample.alleles.includes(at + 1)),
  );
  if (first !== place) return false;
  if (isCalled || sample.copies !== undefined) return true;
  const isOnly = record.samples.length === 1;
  return isOnly && (sample.genotype === undefined || record.infoNumber('CN') !== undefined);
}

/** The row of a sample, without gene. */
export function copyNumberRow(
  record: StructuralRecord,
  sample: StructuralSample,
  place: number,
  alternates: readonly (StructuralAlternate | undefined)[],
): Row {
  const own = alternates[place] as Copies;
  const ofRecord = record.samples.length === 1 ? record.infoNumber('CN') : undefined;
  const copies = sample.copies ?? ofRecord ?? copiesByGenotype(sample, alternates);
  const { start, end } = segmentOf(record, place);
  const least = own.change === 'loss' ? 'partialLoss' : own.change;
  return {
    copy_number: copies,
    status: statusOf(copies) ?? least,
    attributes: jsonOf({
      id: record.id,
      type: record.alternates[place]?.slice(1, -1),
      quality: record.quality,
      filter: record.filter,
      genotype: sample.genotype,
    }),
    chromosome: record.chromosome,
    start_position: start,
    end_position: end,
  };
}

/** Deletions take a copy each, `<CNn>` says its own; how many a duplication adds nobody knows. */
function copiesByGenotype(
  { alleles }: StructuralSample,
  alternates: readonly (StructuralAlternate | undefined)[],
): number | undefined {
  let sum = 0;
  for (const allele of alleles) {
    const copies = allele === undefined ? undefined : copiesOfAllele(alternates[allele - 1], allele);
    if (copies === undefined) return undefined;
    sum += copies;
  }
  return alleles.length === 0 ? undefined : sum;
}

function copiesOfAllele(alternate: StructuralAlternate | undefined, allele: number): number | undefined {
  if (allele === 0 || alternate === undefined) return 1;
  if (alternate.kind !== 'copies') return 1;
  return alternate.copies ?? (alternate.change === 'loss' ? 0 : undefined);
}
