import { genes, type PlacedGene } from '../genes.ts';
import { knownSites } from '../known-site.ts';
import { hashOf } from '../random.ts';
import { simulatedSite, slotLength } from '../simulated-site.ts';
import type { Site } from '../site.ts';

/** A part of a chromosome. Positions count from 1, the end included. */
export interface Region {
  chromosome: string;
  start: number;
  end: number;
}

/** Bases on either side of a variant. */
const margin = 500;

/** Name of the sequence of a region, as `samtools faidx` writes it. */
export const nameOf = ({ chromosome, start, end }: Region): string => `${chromosome}:${start}-${end}`;

/** Regions around sites in the order of the genome; those that overlap become one. */
export function regionsAround(sites: readonly Site[]): Region[] {
  const regions: Region[] = [];
  for (const { chromosome, position } of sites) {
    const last = regions.at(-1);
    if (last?.chromosome === chromosome && position - margin <= last.end) last.end = position + margin;
    else regions.push({ chromosome, start: position - margin, end: position + margin });
  }
  return regions;
}

/**
 * Bases of a region: invented, except that each site of the generator has its REF. Sites are the same in every
 * file of a seed, so the bases agree with all VCFs.
 */
export function basesOf(seed: number, region: Region): string {
  const { chromosome, start, end } = region;
  const bases = Array.from(
    { length: end - start + 1 },
    (_, at) => 'ACGT'[hashOf(seed, 'base', chromosome, start + at) & 3] ?? 'N',
  );
  for (const { position, reference } of sitesIn(seed, region))
    for (const [at, base] of [...reference].entries())
      if (position + at >= start && position + at <= end) bases[position + at - start] = base;
  return bases.join('');
}

/** Yields every site that a VCF may have in a region. Well-known ones are last: their REF is the true one. */
function* sitesIn(seed: number, region: Region): Generator<Site> {
  const isInside = ({ chromosome, position }: Site): boolean =>
    chromosome === region.chromosome && position >= region.start && position <= region.end;
  for (const gene of genes)
    if (gene.chromosome === region.chromosome && gene.ownStart <= region.end && gene.end >= region.start)
      yield* simulatedIn(seed, gene, region);
  yield* knownSites.filter(isInside);
}

function* simulatedIn(seed: number, gene: PlacedGene, { start, end }: Region): Generator<Site> {
  const slotAt = (position: number): number => Math.floor((position - gene.ownStart) / slotLength);
  for (let slot = Math.max(0, slotAt(start)); slot <= slotAt(end); slot += 1)
    yield simulatedSite(seed, gene, slot);
}
