import type { Gene } from './genes.ts';

/** SnpEff's annotation of one allele in one transcript: the fields of ANN that we fill. */
export interface Annotation {
  alternate: string;
  consequence: string;
  impact: string;
  gene: string;
  transcript: string;
  biotype: string;
  codingChange: string;
  proteinChange?: string;
  /** Position in the coding sequence and its length, in bases. */
  codingPosition?: readonly [position: number, length: number];
  /** Distance in bases of a variant beside the gene. */
  distance?: number;
}

/** Impact of each sequence ontology term, as SnpEff has it. */
export const impacts = {
  stop_gained: 'HIGH',
  frameshift_variant: 'HIGH',
  splice_donor_variant: 'HIGH',
  splice_acceptor_variant: 'HIGH',
  start_lost: 'HIGH',
  stop_lost: 'HIGH',
  missense_variant: 'MODERATE',
  conservative_inframe_deletion: 'MODERATE',
  synonymous_variant: 'LOW',
  splice_region_variant: 'LOW',
  intron_variant: 'MODIFIER',
  '3_prime_UTR_variant': 'MODIFIER',
  '5_prime_UTR_variant': 'MODIFIER',
  upstream_gene_variant: 'MODIFIER',
  downstream_gene_variant: 'MODIFIER',
  non_coding_transcript_exon_variant: 'MODIFIER',
} as const;

export type Consequence = keyof typeof impacts;

/** Header line of ANN with the names of its fields, in the words of SnpEff. */
export const annotationHeader =
  '##INFO=<ID=ANN,Number=.,Type=String,Description="Functional annotations: \'Allele | Annotation | Annotation_Impact | ' +
  'Gene_Name | Gene_ID | Feature_Type | Feature_ID | Transcript_BioType | Rank | HGVS.c | HGVS.p | cDNA.pos / cDNA.length | ' +
  'CDS.pos / CDS.length | AA.pos / AA.length | Distance | ERRORS / WARNINGS / INFO\'">';

/** Returns one entry of ANN: sixteen fields between bars. */
export function annotationText(annotation: Annotation): string {
  const { alternate, consequence, impact, gene, transcript, biotype, codingChange } = annotation;
  let positions = '||';
  let exon = '';
  if (annotation.codingPosition !== undefined) {
    const [position, length] = annotation.codingPosition;
    const residue =
      annotation.proteinChange === undefined ? '' : `${Math.ceil(position / 3)}/${length / 3 - 1}`;
    positions = `${position + 120}/${length + 900}|${position}/${length}|${residue}`;
    const exons = Math.max(2, Math.round(length / 180));
    exon = `${Math.min(exons, 1 + Math.floor((position / length) * exons))}/${exons}`;
  }
  const place = `${gene}|${gene}|transcript|${transcript}|${biotype}|${exon}`;
  const change = `${codingChange}|${annotation.proteinChange ?? ''}`;
  return `${alternate}|${consequence}|${impact}|${place}|${change}|${positions}|${annotation.distance ?? ''}|`;
}

/** Distance from a gene within which SnpEff names it, in bases. */
const besideMax = 5_000;

/** Entries for genes beside or over the one at hand: a variant may touch two genes. */
export function neighbourAnnotations(
  position: number,
  reference: string,
  alternate: string,
  neighbours: readonly Gene[],
): Annotation[] {
  const found: Annotation[] = [];
  for (const gene of neighbours) {
    const distance = Math.max(gene.start - position, position - gene.end, 0);
    if (distance > besideMax) continue;
    const before = position < gene.start === (gene.strand === '+');
    const beside: Consequence = before ? 'upstream_gene_variant' : 'downstream_gene_variant';
    const consequence: Consequence = distance === 0 ? 'intron_variant' : beside;
    found.push({
      alternate,
      consequence,
      impact: impacts[consequence],
      gene: gene.symbol,
      transcript: gene.transcript,
      biotype: gene.aminoAcids === 0 ? 'lncRNA' : 'protein_coding',
      codingChange: `${gene.aminoAcids === 0 ? 'n' : 'c'}.-${distance + 15}${reference}>${alternate}`,
      ...(distance === 0 ? {} : { distance }),
    });
  }
  return found;
}

const complements: Record<string, string> = { A: 'T', C: 'G', G: 'C', T: 'A' };

/** Returns the bases as read from the other strand. */
export function reverseComplement(bases: string): string {
  return Array.from(bases, (base) => complements[base] ?? 'N')
    .reverse()
    .join('');
}
