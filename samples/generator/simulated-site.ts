import { type Annotation, annotationText, type Consequence, neighbourAnnotations } from './annotation.ts';
import type { PlacedGene } from './genes.ts';
import { assessmentInfo, frequencyInfo, simulatedAssessment } from './knowledge.ts';
import { type Random, randomOf } from './random.ts';
import type { Site } from './site.ts';
import { transcriptAnnotations } from './transcripts.ts';

/** Bases between two slots of a gene; every slot holds one possible variant. */
export const slotLength = 32;

/** Number of different variants of a gene. */
export function slotCount(gene: PlacedGene): number {
  return Math.max(0, Math.floor((gene.end - gene.ownStart + 1) / slotLength));
}

/** Every eighth slot holds a variant that many people carry. */
export const commonEvery = 8;

const bases = ['A', 'C', 'G', 'T'] as const;

/** Consequences of coding genes, each as often as its weight. */
const weights: readonly [Consequence, number][] = [
  ['missense_variant', 30],
  ['synonymous_variant', 27],
  ['intron_variant', 26],
  ['3_prime_UTR_variant', 6],
  ['5_prime_UTR_variant', 3],
  ['splice_region_variant', 3],
  ['frameshift_variant', 2],
  ['conservative_inframe_deletion', 1],
  ['stop_gained', 1],
  ['splice_donor_variant', 0.5],
  ['splice_acceptor_variant', 0.5],
];
const weightSum = weights.reduce((sum, [, weight]) => sum + weight, 0);

function consequenceOf(gene: PlacedGene, random: Random): Consequence {
  if (gene.aminoAcids === 0) return 'non_coding_transcript_exon_variant';
  let rest = random.next() * weightSum;
  for (const [consequence, weight] of weights) {
    rest -= weight;
    if (rest < 0) return consequence;
  }
  return 'missense_variant';
}

function allelesOf(consequence: Consequence, random: Random): { reference: string; alternates: string[] } {
  const anchor = random.pick(bases);
  const more = (length: number): string => Array.from({ length }, () => random.pick(bases)).join('');
  if (consequence === 'conservative_inframe_deletion')
    return { reference: anchor + more(3), alternates: [anchor] };
  if (consequence === 'frameshift_variant') {
    const length = random.chance(0.7) ? 1 : 2;
    return random.chance(0.5)
      ? { reference: anchor + more(length), alternates: [anchor] }
      : { reference: anchor, alternates: [anchor + more(length)] };
  }
  const others = bases.filter((base) => base !== anchor);
  const first = random.pick(others);
  const second = random.pick(others.filter((base) => base !== first));
  const kind = random.next();
  if (kind < 0.03) return { reference: anchor, alternates: [first, second] };
  // A deletion upstream covers the site in some of the samples.
  if (kind < 0.04) return { reference: anchor, alternates: [first, '*'] };
  // A substitution written beside a deletion: the common last base has to be trimmed to see what it is.
  if (kind < 0.05) {
    const next = random.pick(bases);
    return { reference: anchor + next, alternates: [first + next, anchor] };
  }
  return { reference: anchor, alternates: [first] };
}

function frequencyOf(slot: number, random: Random): number {
  if (slot % commonEvery === 0) return 0.01 + 0.45 * random.next() * random.next();
  return 10 ** -(2.3 + 2.7 * random.next());
}

/** Returns the variant in that slot of the gene: the same in every file and for every patient of one seed. */
export function simulatedSite(seed: number, gene: PlacedGene, slot: number): Site {
  const random = randomOf(seed, gene.index, slot);
  const position = gene.ownStart + slot * slotLength + random.below(slotLength - 4);
  const consequence = consequenceOf(gene, random);
  const { reference, alternates } = allelesOf(consequence, random);
  const frequencies = alternates.map((_, index) => frequencyOf(slot, random) / (index + 1));
  const isKnown = slot % commonEvery === 0 || random.chance(0.7);
  const info = isKnown ? frequencyInfo(frequencies, random) : [];
  const annotations: Annotation[] = [];
  const genesPerAlternate = alternates.map((alternate) => {
    if (alternate === '*') return 0;
    // An alternate shorter than the reference at a substitution is a deletion: it shifts the frame.
    const isDeletion = alternates.length > 1 && alternate.length < reference.length;
    const own = isDeletion ? 'frameshift_variant' : consequence;
    annotations.push(...transcriptAnnotations(gene, position, reference, alternate, own, random));
    const beside = neighbourAnnotations(position, reference, alternate, gene.neighbours);
    annotations.push(...beside);
    return 1 + beside.length;
  });
  const [first] = annotations;
  if (first !== undefined && alternates.length === 1 && random.chance(0.15)) {
    info.push(...assessmentInfo(simulatedAssessment(first, gene.isReal, random)));
  }
  // Invented numbers, far above those that dbSNP has given out.
  const number = 9_000_000_000 + gene.index * 100_000 + slot;
  if (isKnown && random.chance(0.5)) info.push(`RS=${number}`);
  return {
    chromosome: gene.chromosome,
    position,
    id: isKnown ? `rs${number}` : '.',
    reference,
    alternates,
    quality: 30 + random.below(3_000),
    filter: random.chance(0.94) ? 'PASS' : random.pick(['LowQual', 'LowDepth', 'LowQual;LowDepth']),
    info,
    annotation: annotations.map(annotationText).join(','),
    frequencies,
    genesPerAlternate,
  };
}
