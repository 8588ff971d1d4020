import type { Genome } from '../../consequences/spliced.ts';
import { type ReachedTranscript, reachedGenes } from '../../consequences/structural.ts';
import type { AnnotationPart } from '../annotation-layout.ts';
import type { StructuralAlternate } from './alternate.ts';
import { segmentOf } from './copy-number-rows.ts';
import { ordered } from './joint-order.ts';
import type { StructuralAnnotation } from './own-annotations.ts';
import type { StructuralRecord } from './structural-record.ts';

const annotationOf = (texts: Partial<Record<AnnotationPart, string | undefined>>): StructuralAnnotation => ({
  text: (part) => texts[part] ?? '',
});

const ofTranscript = ({ transcript, terms, exon }: ReachedTranscript): StructuralAnnotation =>
  annotationOf({ symbol: transcript.gene, transcript: transcript.id, effect: terms.join('&'), exon });

/**
 * Computes the annotations of a structural alternate that the file does not annotate: one for each gene of a changed stretch, or
 * of a joint one that names the genes at both ends.
 */
export function reachedBy(
  genome: Genome,
  record: StructuralRecord,
  place: number,
  alternate: StructuralAlternate,
): StructuralAnnotation[] {
  const { chromosome } = record;
  if (alternate.kind === 'copies') {
    const { start, end = start } = segmentOf(record, place);
    return reachedGenes(genome, { chromosome, start, end }, alternate.change).map(ofTranscript);
  }
  if (alternate.kind === 'other') return [];
  const { left, right } = ordered(alternate.joint);
  const [one, other] = [left, right].map(
    (end) => reachedGenes(genome, { ...end, start: end.position, end: end.position }, undefined)[0],
  );
  if (one && other && one.transcript.gene !== other.transcript.gene)
    return [annotationOf({ symbol: `${one.transcript.gene}&${other.transcript.gene}` })];
  const isOwn = (end: typeof left): boolean =>
    end.chromosome === chromosome && end.position === record.position;
  const own = isOwn(left) ? one : isOwn(right) ? other : undefined;
  return own ? [ofTranscript(own)] : [];
}
