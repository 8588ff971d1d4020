import type { Spliced } from './spliced.ts';

/** Change of the genome in its shortest form: common ends of both alleles are cut. */
export interface Change {
  chromosome: string;
  /** First removed base, or the base behind an insertion. */
  position: number;
  /** Removed and added bases, in the direction of the chromosome. */
  removed: string;
  added: string;
}

/** Exons and introns that a change touches, numbered along the transcript from 1. */
export interface Region {
  terms: string[];
  exons: readonly [first: number, last: number] | undefined;
  introns: readonly [first: number, last: number] | undefined;
  /** Number on the chromosome of the only exon that holds the whole change; -1 if there is none. */
  wholeExon: number;
  /** Set if the change is within an intron too short to be spliced: it is read like an exon. */
  isInShortIntron: boolean;
}

/** Longest intron that is a gap of the alignment by Ensembl's rule. */
const shortIntronMax = 12;
/** Bases of an intron that may count for splicing. */
const reach = 17;

/**
 * Finds the exons and introns of a change, and its terms about splicing, by the rules of Ensembl VEP
 * (`_intron_effects` of its TranscriptVariationAllele).
 */
export function regionOf(spliced: Spliced, start: number, end: number): Region {
  const { exonStarts, exonEnds, isReverse } = spliced.transcript;
  const count = exonStarts.length;
  const next = spliced.exonFrom(Math.min(start, end));
  const isDeep =
    next > 0 &&
    next < count &&
    Math.min(start, end) - (exonEnds[next - 1] as number) > reach &&
    (exonStarts[next] as number) - Math.max(start, end) > reach;
  // Most changes of a genome are far from the exons.
  if (isDeep) return withinIntron(isReverse ? count - next : next);
  const isInsertion = end < start;
  const terms = new Set<string>();
  let [firstExon, lastExon, firstIntron, lastIntron, wholeExon] = [-1, -1, -1, -1, -1];
  let isInShortIntron = false;
  const from = Math.max(0, spliced.exonFrom(Math.min(start, end) - reach) - 1);
  for (let at = from; at < count && (exonStarts[at] as number) <= Math.max(start, end) + reach; at += 1) {
    const exonStart = exonStarts[at] as number;
    const exonEnd = exonEnds[at] as number;
    const isAtEdge = isInsertion && ((start === exonStart && at > 0) || (end === exonEnd && at + 1 < count));
    const isWithin = end >= exonStart && start <= exonEnd;
    if (isWithin || isAtEdge) {
      if (firstExon < 0) firstExon = at;
      lastExon = at;
    }
    if (isWithin && start >= exonStart && end <= exonEnd) wholeExon = at;
    if (at + 1 === count) break;
    const intronStart = exonEnd + 1;
    const intronEnd = (exonStarts[at + 1] as number) - 1;
    const touches = isInsertion
      ? start >= intronStart && end <= intronEnd
      : end >= intronStart && start <= intronEnd;
    if (intronEnd - intronStart <= shortIntronMax) {
      if (touches) isInShortIntron = true;
      continue;
    }
    if (touches) {
      if (firstIntron < 0) firstIntron = at;
      lastIntron = at;
    }
    addSplicing(terms, start, end, intronStart, intronEnd, isReverse);
  }
  const numbered = (first: number, last: number, of: number): Region['exons'] =>
    first < 0 ? undefined : isReverse ? [of - last, of - first] : [first + 1, last + 1];
  return {
    terms: [...terms],
    exons: numbered(firstExon, lastExon, count),
    introns: numbered(firstIntron, lastIntron, count - 1),
    wholeExon,
    isInShortIntron,
  };
}

const withinIntron = (number: number): Region => ({
  terms: ['intron_variant'],
  exons: undefined,
  introns: [number, number],
  wholeExon: -1,
  isInShortIntron: false,
});

function addSplicing(
  terms: Set<string>,
  start: number,
  end: number,
  intronStart: number,
  intronEnd: number,
  isReverse: boolean,
): void {
  if (end < intronStart - 4 || start > intronEnd + 4) return;
  const isInsertion = end < start;
  const overlaps = (from: number, to: number): boolean => end >= from && start <= to;
  const low = overlaps(intronStart, intronStart + 1);
  const high = overlaps(intronEnd - 1, intronEnd);
  if (low) terms.add(isReverse ? 'splice_acceptor_variant' : 'splice_donor_variant');
  if (high) terms.add(isReverse ? 'splice_donor_variant' : 'splice_acceptor_variant');
  /** Bases from the donor site, the first base of the intron being 0. */
  const inDonor = (from: number, to: number): boolean =>
    isReverse ? overlaps(intronEnd - to, intronEnd - from) : overlaps(intronStart + from, intronStart + to);
  const inAcceptor = (from: number, to: number): boolean =>
    isReverse ? overlaps(intronStart + from, intronStart + to) : overlaps(intronEnd - to, intronEnd - from);
  const isFifth = inDonor(4, 4);
  const isDonorRegion = inDonor(2, 5) && !isFifth;
  if (isFifth) terms.add('splice_donor_5th_base_variant');
  if (isDonorRegion) terms.add('splice_donor_region_variant');
  if (inAcceptor(2, 16)) terms.add('splice_polypyrimidine_tract_variant');
  const isBetween =
    isInsertion &&
    (start === intronStart || end === intronEnd || start === intronStart + 2 || end === intronEnd - 2);
  const isRegion =
    isBetween ||
    overlaps(intronStart - 3, intronStart - 1) ||
    overlaps(intronStart + 2, intronStart + 7) ||
    overlaps(intronEnd - 7, intronEnd - 2) ||
    overlaps(intronEnd + 1, intronEnd + 3);
  if (isRegion && !low && !high && !isFifth && !isDonorRegion) terms.add('splice_region_variant');
  const isInside =
    overlaps(intronStart + 2, intronEnd - 2) ||
    (isInsertion && (start === intronStart + 2 || end === intronEnd - 2));
  if (isInside) terms.add('intron_variant');
}
