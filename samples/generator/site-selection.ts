import { genes, type PlacedGene } from './genes.ts';
import { type Random, randomOf } from './random.ts';
import { commonEvery, simulatedSite, slotCount } from './simulated-site.ts';
import type { Site } from './site.ts';

/** Part of a file's variants that are in real genes, as long as these have room. */
const realShare = 0.75;

/** Spreads `count` evenly over the genes, at most half of the slots of each; returns the number of placed ones. */
function spread(count: number, among: readonly PlacedGene[], quotas: Int32Array, random: Random): number {
  let placed = 0;
  // Each round fills what the round before could not place because small genes were full.
  for (let round = 0; round < 40 && placed < count; round += 1) {
    const open = among.filter((gene) => (quotas[gene.index] ?? 0) < slotCount(gene) / 2 - 1);
    if (open.length === 0) break;
    const share = (count - placed) / open.length;
    let due = random.next();
    for (const gene of open) {
      due += share;
      const room = Math.floor(slotCount(gene) / 2) - (quotas[gene.index] ?? 0);
      const taken = Math.min(Math.floor(due), room, count - placed);
      due -= Math.floor(due);
      quotas[gene.index] = (quotas[gene.index] ?? 0) + taken;
      placed += taken;
    }
  }
  return placed;
}

/** Slots of one gene in rising order; more than half of them are moved to the common variant next to them. */
function* slotsOf(gene: PlacedGene, quota: number, random: Random): Generator<number> {
  const step = slotCount(gene) / quota;
  let last = -1;
  for (let index = 0; index < quota; index += 1) {
    const slot = Math.floor((index + random.next()) * step);
    const common = slot - (slot % commonEvery);
    last = common > last && random.chance(0.6) ? common : slot;
    yield last;
  }
}

/**
 * About `count` simulated variants in the order of the genome: which ones depends on seed and file, what each one is on the seed
 * alone. Needs memory for the genes only, however many variants there are.
 */
export function* simulatedSites(seed: number, file: string, count: number): Generator<Site> {
  const random = randomOf(seed, 'sites', file);
  const quotas = new Int32Array(genes.length);
  const inReal = spread(
    Math.round(count * realShare),
    genes.filter((gene) => gene.isReal),
    quotas,
    random,
  );
  const rest = count - inReal;
  const placed = spread(
    rest,
    genes.filter((gene) => !gene.isReal),
    quotas,
    random,
  );
  if (placed < rest)
    throw new RangeError(`A file can hold ${inReal + placed} variants at most, not ${count}`);
  for (const gene of genes) {
    const quota = quotas[gene.index] ?? 0;
    if (quota === 0) continue;
    for (const slot of slotsOf(gene, quota, random)) yield simulatedSite(seed, gene, slot);
  }
}
