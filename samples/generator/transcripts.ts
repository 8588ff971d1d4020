import { type Annotation, type Consequence, impacts, reverseComplement } from './annotation.ts';
import type { PlacedGene } from './genes.ts';
import { hashOf, type Random } from './random.ts';

const residues = 'Ala Arg Asn Asp Cys Gln Glu Gly His Ile Leu Lys Met Phe Pro Ser Thr Trp Tyr Val'.split(' ');

interface Change {
  gene: PlacedGene;
  consequence: Consequence;
  reference: string;
  alternate: string;
  /** Position in the coding sequence of the main transcript, from 1. */
  coding: number;
  residue: string;
  newResidue: string;
}

/** Bases of the main coding sequence, with the stop codon. */
const codingLength = (gene: PlacedGene): number => (gene.aminoAcids + 1) * 3;

function codingChange(change: Change, coding: number): string {
  const { gene, consequence, reference, alternate } = change;
  const asTranscribed = (bases: string): string => (gene.strand === '+' ? bases : reverseComplement(bases));
  const intronic: Partial<Record<Consequence, string>> = {
    intron_variant: `${coding}+${30 + (coding % 400)}`,
    splice_region_variant: `${coding}+5`,
    splice_donor_variant: `${coding}+1`,
    splice_acceptor_variant: `${coding}-2`,
    '3_prime_UTR_variant': `*${coding % 900}`,
    '5_prime_UTR_variant': `-${1 + (coding % 200)}`,
  };
  const place = intronic[consequence] ?? `${coding}`;
  if (reference.length === alternate.length) {
    return `c.${place}${asTranscribed(reference.charAt(0))}>${asTranscribed(alternate.charAt(0))}`;
  }
  const length = Math.abs(reference.length - alternate.length);
  const range = length === 1 ? `${coding}` : `${coding}_${coding + length - 1}`;
  return reference.length > alternate.length
    ? `c.${range}del`
    : `c.${coding}_${coding + 1}ins${asTranscribed(alternate.slice(1))}`;
}

function proteinChange({ consequence, residue, newResidue }: Change, coding: number): string | undefined {
  const place = `p.${residue}${Math.ceil(coding / 3)}`;
  if (consequence === 'missense_variant') return place + newResidue;
  if (consequence === 'synonymous_variant') return place + residue;
  if (consequence === 'stop_gained') return `${place}*`;
  if (consequence === 'frameshift_variant') return `${place}fs`;
  if (consequence === 'conservative_inframe_deletion') return `${place}del`;
  return undefined;
}

function inTranscript(change: Change, transcript: string, biotype: string, coding: number): Annotation {
  const protein = proteinChange(change, coding);
  const { gene, consequence, alternate } = change;
  return {
    alternate,
    consequence,
    impact: impacts[consequence],
    gene: gene.symbol,
    transcript,
    biotype,
    codingChange: codingChange(change, coding),
    ...(protein === undefined
      ? {}
      : { proteinChange: protein, codingPosition: [coding, codingLength(gene)] }),
  };
}

/** Names a further, invented transcript of the gene. */
const furtherTranscript = (gene: PlacedGene, number: number): string =>
  `SIMT${String(70_000 + gene.index).padStart(6, '0')}.${number}`;

function retainedIntron(change: Change): Annotation {
  return {
    alternate: change.alternate,
    consequence: 'non_coding_transcript_exon_variant',
    impact: 'MODIFIER',
    gene: change.gene.symbol,
    transcript: furtherTranscript(change.gene, 3),
    biotype: 'retained_intron',
    codingChange: codingChange(change, change.coding).replace('c.', 'n.'),
  };
}

/**
 * Writes one to three entries, by the transcripts of the gene. Their order is arbitrary on purpose. A reader that skips the
 * protein-coding one with the highest impact gets a wrong amino acid change.
 */
export function transcriptAnnotations(
  gene: PlacedGene,
  position: number,
  reference: string,
  alternate: string,
  consequence: Consequence,
  random: Random,
): Annotation[] {
  if (gene.aminoAcids === 0) {
    const codingChange = `n.${position - gene.start + 1}${reference}>${alternate}`;
    const { symbol, transcript } = gene;
    return [
      {
        alternate,
        consequence,
        impact: impacts[consequence],
        gene: symbol,
        transcript,
        biotype: 'lncRNA',
        codingChange,
      },
    ];
  }
  const along = (position - gene.start) / (gene.end - gene.start + 1);
  const fraction = gene.strand === '+' ? along : 1 - along;
  const coding = 4 + Math.floor(fraction * (gene.aminoAcids - 2) * 3);
  const residue = random.pick(residues);
  const newResidue = random.pick(residues.filter((other) => other !== residue));
  const change: Change = { gene, consequence, reference, alternate, coding, residue, newResidue };
  const found = [inTranscript(change, gene.transcript, 'protein_coding', coding)];
  const kind = hashOf(gene.symbol) % 4;
  if (kind === 1 || kind === 3) {
    // The shorter protein lacks a part at its beginning; now and then the variant is coding in this one only.
    const shorter = Math.max(4, coding - 3 * Math.floor(gene.aminoAcids / 10));
    const isCoding =
      consequence === 'intron_variant' && reference.length === alternate.length && random.chance(0.25);
    const other: Change = isCoding ? { ...change, consequence: 'missense_variant' } : change;
    found.push(inTranscript(other, furtherTranscript(gene, 2), 'protein_coding', shorter));
  }
  if (kind >= 2) found.unshift(retainedIntron(change));
  return found;
}
