import type { Genome } from './spliced.ts';
import { endOf, startOf, type Transcript } from './transcript.ts';

/** Transcript that a structural variant reaches, the best of its gene. */
export interface ReachedTranscript {
  transcript: Transcript;
  /** Terms of the Sequence Ontology. */
  terms: readonly string[];
  /** Exons that it reaches, along the transcript: `3-5/11`; undefined without any. */
  exon: string | undefined;
}

/** Change of a stretch: fewer or more copies, or a number that is not specified. */
type CopyChange = 'loss' | 'gain' | undefined;

/** Genes above which a variant is one of a chromosome's arm, and names none. */
const genesMax = 2000;

/** Finds the genes that a stretch of a chromosome reaches, in their order; none for more than can be of use. */
export function reachedGenes(
  { transcripts }: Genome,
  stretch: { chromosome: string; start: number; end: number },
  change: CopyChange,
): ReachedTranscript[] {
  const { chromosome, start, end } = stretch;
  const best = new Map<string, Transcript>();
  for (const one of transcripts(chromosome)?.within(start, end) ?? [])
    if (!best.has(one.gene)) best.set(one.gene, one);
  if (best.size > genesMax) return [];
  return [...best.values()]
    .toSorted((left, right) => startOf(left) - startOf(right))
    .map((transcript) => ({
      transcript,
      terms: termsOf(transcript, start, end, change),
      exon: exonsOf(transcript, start, end),
    }));
}

function termsOf(transcript: Transcript, start: number, end: number, change: CopyChange): string[] {
  const isWhole = start <= startOf(transcript) && end >= endOf(transcript);
  const isInIntron = exonsOf(transcript, start, end) === undefined;
  if (change === undefined) return [isInIntron ? 'intron_variant' : 'copy_number_change'];
  if (isWhole) return [change === 'loss' ? 'transcript_ablation' : 'transcript_amplification'];
  if (isInIntron) return ['intron_variant'];
  return [change === 'loss' ? 'feature_truncation' : 'feature_elongation'];
}

function exonsOf(
  { exonStarts, exonEnds, isReverse }: Transcript,
  start: number,
  end: number,
): string | undefined {
  const count = exonStarts.length;
  const first = exonEnds.findIndex((last) => last >= start);
  const last = exonStarts.findLastIndex((begin) => begin <= end);
  if (first < 0 || last < first) return undefined;
  const [from, to] = isReverse ? [count - last, count - first] : [first + 1, last + 1];
  return from === to ? `${from}/${count}` : `${from}-${to}/${count}`;
}
