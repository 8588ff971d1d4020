import { jsonOf } from '../../delimited/index.ts';
import { type CopyNumberStatus, statusBy } from '../../omic/copy-number/status.ts';
import type { Row } from '../../parquet/index.ts';
import type { StructuralAlternate } from './alternate.ts';
import type { StructuralAnnotation } from './own-annotations.ts';
import { attributesOfEvidence, type StructuralRecord, type StructuralSample } from './structural-record.ts';

type Copies = Extract<StructuralAlternate, { kind: 'copies' }>;

/** Returns the range of a deletion or duplication: POS is the base before it (VCF 4.3 §1.6.1). */
export function segmentOf(
  record: StructuralRecord,
  place: number,
): { start: number; end: number | undefined } {
  const { position } = record;
  const end = record.end(place);
  return { start: end === undefined ? position + 1 : Math.min(position + 1, end), end };
}

/**
 * Returns whether a sample has its row at this alternate: at the first of those in its genotype with this end. Without a
 * genotype a copy number decides, or a file with this sample alone; such a row is at the first alternate.
 */
export function hasCopies(
  record: StructuralRecord,
  sample: StructuralSample,
  place: number,
  alternates: readonly (StructuralAlternate | undefined)[],
): boolean {
  // The reads of a list of calls without samples are those of its sample.
  if (!record.hasSamples) return record.isSupported(sample) !== false;
  const isCalled = sample.alleles.some((allele) => allele !== undefined);
  const first = alternates.findIndex(
    (alternate, at) =>
      alternate?.kind === 'copies' &&
      (!isCalled || (sample.alleles.includes(at + 1) && record.end(at) === record.end(place))),
  );
  if (first !== place) return false;
  if (isCalled || sample.copies !== undefined || sample.isUncalled) return true;
  if (record.isUncalled && record.isSupported(sample)) return true;
  const isOnly = record.samples.length === 1 && record.isSupported(sample) !== false;
  return isOnly && (sample.genotype === undefined || record.copies !== undefined);
}

/** Builds the row of a sample, without gene. `reached`: the computed annotation of one gene. */
export function copyNumberRow(
  record: StructuralRecord,
  sample: StructuralSample,
  place: number,
  alternates: readonly (StructuralAlternate | undefined)[],
  reached?: StructuralAnnotation,
): Row {
  const own = alternates[place] as Copies;
  const reaching = alternates.map((alternate, at) => (reaches(record, at, place) ? alternate : undefined));
  const copies = sample.copies ?? record.copies ?? copiesByGenotype(sample, reaching);
  const { start, end } = segmentOf(record, place);
  const normal = sample.normalCopies ?? (isHaploid(record, sample) ? 1 : undefined);
  return {
    copy_number: copies,
    // A genotype names the change. The copies, estimated from the depth, may contradict it. Without a genotype they decide.
    status:
      statusBy(calledChange(sample, reaching), record.chromosome, copies, normal) ??
      statusOfChange(own.change),
    attributes: jsonOf({
      id: record.id,
      type: record.alternates[place]?.slice(1, -1),
      quality: record.quality,
      claim: record.info('SVCLAIM'),
      ...attributesOfEvidence(record, sample),
      genotype: sample.genotype,
      effect: reached?.text('effect') || undefined,
      exons: reached?.text('exon') || undefined,
    }),
    chromosome: record.chromosome,
    start_position: start,
    end_position: end,
  };
}

const statusOfChange = (change: Copies['change']): CopyNumberStatus | undefined =>
  change === 'loss' ? 'partialLoss' : change;

/** Returns the status by the alternates of a genotype; undefined where they differ, or leave the kind of change open. */
function calledChange(
  { alleles }: StructuralSample,
  alternates: readonly (StructuralAlternate | undefined)[],
): CopyNumberStatus | undefined {
  const named = alleles.flatMap((allele) => (allele ? [alternates[allele - 1]] : []));
  const changes = new Set(named.map((one) => (one?.kind === 'copies' ? one.change : undefined)));
  return changes.size === 1 ? statusOfChange([...changes][0]) : undefined;
}

/** Returns whether a genotype of one allele shows that a sample has one copy of a sex chromosome. */
function isHaploid({ chromosome }: StructuralRecord, { alleles }: StructuralSample): boolean {
  return alleles.length === 1 && (chromosome === 'chrX' || chromosome === 'chrY');
}

/**
 * Returns whether an alternate reaches a sample. All alternates begin after POS: one that ends before this one does not affect
 * the copies of its rest.
 */
function reaches(record: StructuralRecord, at: number, place: number): boolean {
  return (record.end(at) ?? Infinity) >= (record.end(place) ?? 0);
}

/**
 * Counts copies: a deletion removes one, `<CNn>` and a CN of each allele have their own; the number that a duplication adds is
 * otherwise unknown.
 */
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
