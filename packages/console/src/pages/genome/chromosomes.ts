import { chromosomeLengths, nuclearChromosomes } from '@ploidy/formats/genome-build';

/** A part of a chromosome whose bases a reference has. Positions count from 0; `end` is behind it. */
export interface Part {
  start: number;
  end: number;
  /** Id of the sequence with these bases. */
  reference: string;
}

/** A sequence that tracks are drawn along. */
export interface Chromosome {
  name: string;
  length: number;
  parts: Part[];
}

/** A sequence of a reference set. */
export interface Sequence {
  id: string;
  name: string;
  length: number;
}

/** Bases of the mitochondrion in GRCh38 (NC_012920.1). */
const mitochondrionLength = 16_569;

/** Chromosomes of GRCh38 without bases. */
export function grch38Chromosomes(prefix = 'chr'): Chromosome[] {
  const nuclear = nuclearChromosomes.map((name, at) => ({
    name: name.replace('chr', prefix),
    length: chromosomeLengths.GRCh38[at] ?? 0,
    parts: [],
  }));
  return [...nuclear, { name: prefix ? `${prefix}M` : 'MT', length: mitochondrionLength, parts: [] }];
}

/**
 * Chromosomes of a reference. Sequences that `samtools faidx` cut out (`chr7:1001-2000`) become parts of their chromosome. Its
 * length is that of GRCh38, or the end of its last part.
 */
export function chromosomesOf(sequences: Sequence[], assemblyId: string | undefined): Chromosome[] {
  const cut = sequences.map(placeOf).find(({ isCut }) => isCut);
  const isGrch38 = /^(?:GRCh38|hg38)\b/i.test(assemblyId ?? '');
  const known = cut && isGrch38 ? grch38Chromosomes(cut.name.startsWith('chr') ? 'chr' : '') : [];
  const found = new Map(known.map((one) => [one.name, one]));
  for (const sequence of sequences) {
    const { name, start, end } = placeOf(sequence);
    const { length = 0, parts = [] } = found.get(name) ?? {};
    const part = { start, end, reference: sequence.id };
    found.set(name, { name, length: Math.max(length, end), parts: [...parts, part] });
  }
  return [...found.values()];
}

function placeOf({ name, length }: Sequence): { name: string; start: number; end: number; isCut: boolean } {
  const [, chromosome = '', first, last] = /^(.+):(\d+)-(\d+)$/.exec(name) ?? [];
  const [start, end] = [Number(first) - 1, Number(last)];
  // Another name with this form is of other bases.
  if (end - start !== length || start < 0) return { name, start: 0, end: length, isCut: false };
  return { name: chromosome, start, end, isCut: true };
}

/** Parts that are cut out of their chromosomes, as addresses such as `chr7:1001-2000`. */
export function cutRegions(chromosomes: Chromosome[]): string[] {
  return chromosomes.flatMap(({ name, length, parts }) =>
    parts
      .filter(({ start, end }) => end - start < length)
      .map(({ start, end }) => `${name}:${start + 1}-${end}`),
  );
}

/** Bases of a range, with N where the reference has none; `undefined` where it has none at all. */
export async function basesIn(
  { parts }: Chromosome,
  start: number,
  end: number,
  read: (reference: string, start: number, end: number) => Promise<string>,
): Promise<string | undefined> {
  const inside = parts.filter((part) => part.start < end && part.end > start);
  if (inside.length === 0) return undefined;
  let bases = '';
  for (const part of inside.toSorted((one, other) => one.start - other.start)) {
    const from = Math.max(start + bases.length, part.start);
    const to = Math.min(end, part.end);
    if (from >= to) continue;
    const found = await read(part.reference, from - part.start, to - part.start);
    bases = bases.padEnd(from - start, 'N') + found;
  }
  return bases.padEnd(end - start, 'N');
}
