import { type Annotation, annotationText, impacts, neighbourAnnotations } from './annotation.ts';
import { contigs } from './contigs.ts';
import { geneOf } from './genes.ts';
import { assessmentInfo, frequencyInfo, reviews } from './knowledge.ts';
import { knownVariantLines } from './known-variants.ts';
import { randomOf } from './random.ts';
import type { Site } from './site.ts';

/** A well-known variant; `isCommon` ones are found in any patient, the others only in those whose disease they explain. */
export interface KnownSite extends Site {
  name: string;
  isCommon: boolean;
}

const biotype = 'protein_coding';

function annotation(gene: string, alternate: string, transcript: string, words: string[]): Annotation {
  const [consequence = '', codingChange = '', protein = '-'] = words;
  const residue = Number(/\d+/.exec(protein)?.[0] ?? 0);
  return {
    alternate,
    consequence,
    impact: impacts[consequence as keyof typeof impacts],
    gene,
    transcript,
    biotype,
    codingChange,
    ...(protein === '-'
      ? {}
      : { proteinChange: protein, codingPosition: [residue * 3 - 1, (geneOf(gene).aminoAcids + 1) * 3] }),
  };
}

function parse(entry: string): KnownSite {
  const [line = '', ...further] = entry.split('\n+ ');
  const [name = '', place = '', id = '', change = '', verdict = '', frequencyText] = line.split('; ');
  const [chromosome = '', position, reference = '', alternate = ''] = place.split(' ');
  const [symbol = '', ...words] = change.split(' ');
  const [significance = '', review = '', disease = '', alleleId] = verdict.split(' ');
  const gene = geneOf(symbol);
  const beside = neighbourAnnotations(Number(position), reference, alternate, gene.neighbours);
  const annotations = [
    annotation(symbol, alternate, gene.transcript, words),
    ...further.map((text) => {
      const [transcript = '', ...rest] = text.split(' ');
      return annotation(symbol, alternate, transcript, rest);
    }),
  ];
  // BRAF also gets a transcript without protein, and in front: the choice of the transcript must not rest on order.
  if (symbol === 'BRAF') {
    const consequence = 'non_coding_transcript_exon_variant';
    const codingChange = (words[1] ?? '').replace('c.', 'n.');
    const noProtein = { transcript: 'SIMT070000.3', biotype: 'retained_intron', codingChange };
    annotations.unshift({ alternate, consequence, impact: impacts[consequence], gene: symbol, ...noProtein });
  }
  const frequency = frequencyText === '-' ? undefined : Number(frequencyText);
  const reviewText = reviews[review as keyof typeof reviews];
  const assessment = { disease, review: reviewText, significance };
  return {
    name,
    isCommon: frequency !== undefined && frequency > 0.005,
    chromosome: `chr${chromosome}`,
    position: Number(position),
    id,
    reference,
    alternates: [alternate],
    quality: 2_000,
    filter: 'PASS',
    info: [
      ...(frequency === undefined ? [] : frequencyInfo([frequency], randomOf(name))),
      ...assessmentInfo(alleleId === '-' ? assessment : { ...assessment, alleleId: Number(alleleId) }),
      `RS=${id.slice(2)}`,
    ],
    annotation: [...annotations, ...beside].map(annotationText).join(','),
    frequencies: [frequency ?? 0],
    genesPerAlternate: [1 + beside.length],
  };
}

const single = knownVariantLines
  .trim()
  .split(/\n(?!\+)/)
  .map(parse);

/**
 * Both changes of BRAF's codon 600 in one row, as a joint caller writes them: V600E (A>T) has to carry the second base of V600K
 * (AC>TT) along, so that only trimming shows which is which.
 */
function bothAtCodon600(): KnownSite {
  const [one, other] = ['BRAF V600K', 'BRAF V600E'].map((name) => single.find((site) => site.name === name));
  if (one === undefined || other === undefined) throw new RangeError('BRAF V600K and V600E are missing');
  const annotations = `${one.annotation},${other.annotation.replaceAll(/(^|,)T\|/g, '$1TC|')}`;
  return {
    ...one,
    name: 'BRAF V600K/V600E',
    id: `${one.id};${other.id}`,
    alternates: ['TT', 'TC'],
    // One value for each alternate: of a single one it would be uncertain whose it is.
    info: ['CLNDN=Melanoma,Melanoma', 'CLNSIG=Pathogenic,Pathogenic'],
    annotation: annotations,
    frequencies: [0, 0],
    genesPerAlternate: [1, 1],
  };
}

const rank = new Map(contigs.map(({ name }, index) => [name, index]));

/** Position of a chromosome in the files' order. */
export function contigRank(chromosome: string): number {
  return rank.get(chromosome) ?? contigs.length;
}

/** All well-known variants, sorted as in a file. */
export const knownSites: readonly KnownSite[] = [...single, bothAtCodon600()].toSorted(
  (one, other) => contigRank(one.chromosome) - contigRank(other.chromosome) || one.position - other.position,
);
