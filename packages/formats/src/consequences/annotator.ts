import { byGravity } from '../vcf/foreign/consequences.ts';
import { codingEffects, type SplicedChange } from './coding-effect.ts';
import { reverseComplement } from './genetic-code.ts';
import { codingHgvs } from './hgvs-coding.ts';
import { proteinHgvs } from './hgvs-protein.ts';
import { type Change, type Region, regionOf } from './region.ts';
import { type Bases, type Genome, Spliced } from './spliced.ts';
import { endOf, startOf, type Transcript } from './transcript.ts';

/** Consequence of an allele for one transcript. */
export interface Consequence {
  transcript: Transcript;
  /** Terms of the Sequence Ontology, the gravest first. */
  terms: readonly string[];
  /** Changes in HGVS without the names of their sequences; undefined where they are not known. */
  coding?: string | undefined;
  protein?: string | undefined;
  /** Exons and introns, numbered along the transcript: `3/11`, `3-4/11`. */
  exon?: string | undefined;
  intron?: string | undefined;
  /** Set if decay of the RNA is predicted: a new stop is more than 50 bases before the last junction of exons. */
  isDecayed?: boolean | undefined;
}

/** Bases around a transcript within which a change is beside its gene (VEP's default). */
const besideMax = 5000;
/** Bases by which a stop must precede the last junction for decay. */
const decayBases = 50;
/** Spliced sequences that are kept: neighbouring records ask for the same. */
const splicedMax = 512;

/** Finds the consequences of alleles. One object serves the records of a file; it keeps the sequences of the last transcripts. */
export class Annotator {
  readonly #genome: Genome;
  readonly #spliced = new Map<Transcript, Spliced>();

  constructor(genome: Genome) {
    this.#genome = genome;
  }

  get bases(): Bases {
    return this.#genome.bases;
  }

  /**
   * Lists the consequences of a change, the best transcript of a gene first. A change within no transcript has one for each gene
   * beside it.
   */
  consequencesOf(change: Change): Consequence[] {
    const placed = this.#genome.transcripts(change.chromosome);
    if (!placed) return [];
    const start = change.position;
    const end = start + change.removed.length - 1;
    const near = placed.within(Math.min(start, end) - besideMax, Math.max(start, end) + besideMax);
    const touched = near.filter((one) => end >= startOf(one) && start <= endOf(one));
    return touched.length === 0
      ? besides(near, start)
      : touched.map((one) => this.#ofTranscript(one, change));
  }

  /** Returns a transcript with its sequence. */
  splicedOf(transcript: Transcript): Spliced {
    let spliced = this.#spliced.get(transcript);
    if (!spliced) {
      if (this.#spliced.size >= splicedMax) this.#spliced.clear();
      spliced = new Spliced(transcript, this.#genome.bases);
      this.#spliced.set(transcript, spliced);
    }
    return spliced;
  }

  #ofTranscript(transcript: Transcript, change: Change): Consequence {
    const spliced = this.splicedOf(transcript);
    const start = change.position;
    const end = start + change.removed.length - 1;
    const region = regionOf(spliced, start, end);
    const isCoding = transcript.codingEnd > transcript.codingStart;
    const inside = splicedChange(spliced, change, region);
    const terms = [...region.terms, ...exonTerms(spliced, change, region, inside)];
    if (transcript.biotype === 'nonsense_mediated_decay') terms.push('NMD_transcript_variant');
    else if (!isCoding && !terms.includes('non_coding_transcript_exon_variant'))
      terms.push('non_coding_transcript_variant');
    const changed = inside && isCoding ? proteinOf(spliced, inside, terms) : undefined;
    return {
      transcript,
      terms: byGravity(terms),
      coding: codingHgvs(spliced, change, this.bases),
      protein: changed?.text,
      exon: numbers(region.exons, transcript.exonStarts.length),
      intron: numbers(region.introns, transcript.exonStarts.length - 1),
      isDecayed:
        changed?.stopBefore !== undefined && spliced.lastJunction - changed.stopBefore > decayBases
          ? true
          : undefined,
    };
  }
}

/** Returns a consequence for each gene beside a change, of its best transcript. */
function besides(near: readonly Transcript[], position: number): Consequence[] {
  const found: Consequence[] = [];
  for (const one of near)
    if (!found.some(({ transcript }) => transcript.gene === one.gene))
      found.push({ transcript: one, terms: besideTerms(one, position) });
  return found;
}

const [upstream, downstream] = [['upstream_gene_variant'], ['downstream_gene_variant']] as const;

function besideTerms(transcript: Transcript, position: number): readonly string[] {
  const isBelow = position <= startOf(transcript);
  return isBelow === transcript.isReverse ? downstream : upstream;
}

const numbers = (range: Region['exons'], count: number): string | undefined =>
  range && (range[0] === range[1] ? `${range[0]}/${count}` : `${range[0]}-${range[1]}/${count}`);

/** Change within one exon as one of the spliced transcript. */
function splicedChange(spliced: Spliced, change: Change, { wholeExon }: Region): SplicedChange | undefined {
  if (wholeExon < 0) return undefined;
  const { isReverse } = spliced.transcript;
  const { position, removed } = change;
  const last = position + removed.length - 1;
  const from = isReverse
    ? spliced.offsetOf(removed === '' ? position - 1 : last)
    : spliced.offsetOf(position);
  return {
    from,
    to: from + removed.length,
    added: isReverse ? reverseComplement(change.added) : change.added,
  };
}

/** Terms of the exons that a change touches. */
function exonTerms(
  spliced: Spliced,
  change: Change,
  region: Region,
  inside: SplicedChange | undefined,
): string[] {
  const { transcript } = spliced;
  const { codingStart, codingEnd } = transcript;
  const isCoding = codingEnd > codingStart;
  if (!region.exons && !region.isInShortIntron) return [];
  if (!isCoding) return ['non_coding_transcript_exon_variant'];
  if (inside) return codingEffects(spliced, inside);
  return acrossTerms(spliced, change);
}

/** Returns the terms of a change over an edge of an exon: codons are unknown, the parts of the transcript are not. */
function acrossTerms(spliced: Spliced, { position, removed }: Change): string[] {
  const { exonStarts, exonEnds, codingStart, codingEnd, isReverse } = spliced.transcript;
  let [start, end] = removed === '' ? [position - 1, position] : [position, position + removed.length - 1];
  const next = spliced.exonFrom(start);
  // Within an intron that is not spliced, the exons on both sides count.
  if ((exonStarts[next] as number) > end)
    [start, end] = [exonEnds[next - 1] as number, exonStarts[next] as number];
  const terms = new Set<string>();
  for (
    let at = spliced.exonFrom(start);
    at < exonStarts.length && (exonStarts[at] as number) <= end;
    at += 1
  ) {
    const low = spliced.offsetOf(Math.max(start, exonStarts[at] as number));
    const high = spliced.offsetOf(Math.min(end, exonEnds[at] as number));
    const [from, to] = isReverse ? [high, low + 1] : [low, high + 1];
    if (from < codingStart) terms.add('5_prime_UTR_variant');
    if (to > codingEnd) terms.add('3_prime_UTR_variant');
    if (to > codingStart && from < codingEnd) terms.add('coding_sequence_variant');
  }
  return [...terms];
}

const changing = new Set([
  'stop_gained',
  'frameshift_variant',
  'stop_lost',
  'inframe_insertion',
  'inframe_deletion',
  'missense_variant',
  'protein_altering_variant',
  'stop_retained_variant',
  'synonymous_variant',
]);

function proteinOf(
  spliced: Spliced,
  change: SplicedChange,
  terms: readonly string[],
): ReturnType<typeof proteinHgvs> {
  if (terms.includes('start_lost')) return { text: 'p.Met1?', stopBefore: undefined };
  return terms.some((term) => changing.has(term)) ? proteinHgvs(spliced, change) : undefined;
}
