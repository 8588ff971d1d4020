import type { Random } from './random.ts';
import type { Site } from './site.ts';

/** A sample's call: the alleles (0 is the reference, -1 not called) and the column as written. */
export interface Call {
  alleles: readonly number[];
  depth: number;
  text: string;
}

const notCalled: Call = { alleles: [-1, -1], depth: 0, text: './.:.:.:.:.' };

/**
 * Likelihoods of every possible genotype (PL, VCF 4.3 §1.6.2): 0 for the one called. For two alleles j ≤ k the place is
 * k(k+1)/2 + j, for one it is the allele itself.
 */
function likelihoods(alleles: readonly number[], alternates: number, random: Random): string {
  const [low = 0, high] = alleles.toSorted((one, other) => one - other);
  const place = high === undefined ? low : (high * (high + 1)) / 2 + low;
  const length = high === undefined ? alternates + 1 : ((alternates + 1) * (alternates + 2)) / 2;
  return Array.from({ length }, (_, index) => (index === place ? 0 : 20 + random.below(1_800))).join(',');
}

/** Writes GT:AD:DP:GQ:PL for a genotype such as `0/1`, with reads that go with it. */
export function callOf(genotype: string, alternates: number, random: Random): Call {
  const alleles = genotype.split(/[/|]/).map((allele) => (allele === '.' ? -1 : Number(allele)));
  if (alleles.includes(-1)) return { ...notCalled, text: notCalled.text.replace('./.', genotype) };
  const depth = 18 + random.below(90);
  const reads: number[] = Array.from({ length: alternates + 1 }, () => 0);
  let left = depth;
  for (const [index, allele] of alleles.entries()) {
    const isLast = index === alleles.length - 1;
    const share = isLast ? left : Math.round(depth * (0.35 + 0.3 * random.next()));
    reads[allele] = (reads[allele] ?? 0) + share;
    left -= share;
  }
  const quality = 20 + random.below(80);
  const text = `${genotype}:${reads.join(',')}:${depth}:${quality}:${likelihoods(alleles, alternates, random)}`;
  return { alleles, depth, text };
}

/** Draws a genotype that carries an alternate allele. */
export function carrierGenotype(site: Site, isHaploid: boolean, random: Random): string {
  const alternates = site.alternates.length;
  const first = 1 + (alternates > 1 && random.chance(0.4) ? random.below(alternates) : 0);
  if (isHaploid) return `${first}`;
  const separator = random.chance(0.1) ? '|' : '/';
  if (alternates > 1 && random.chance(0.3)) return `1${separator}2`;
  const isHomozygous = random.chance(0.05 + (site.frequencies[0] ?? 0));
  return isHomozygous ? `${first}${separator}${first}` : `0${separator}${first}`;
}

/** Draws a genotype without an alternate allele, or none at all. */
export function otherGenotype(isHaploid: boolean, random: Random): string {
  const isCalled = random.chance(0.9);
  if (isHaploid) return isCalled ? '0' : '.';
  return isCalled ? '0/0' : './.';
}
