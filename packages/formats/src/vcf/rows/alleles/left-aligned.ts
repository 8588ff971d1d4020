import type { Bases } from '../../../consequences/spliced.ts';

/** Place and bases of an allele. */
interface PlacedAllele {
  position: number;
  reference: string;
  alternate: string;
}

/** Bases that are read at a time, to the left of an allele. */
const chunkLength = 256;

/**
 * Moves an insertion or deletion to its leftmost place (Tan, Abecasis and Kang 2015; `bcftools norm`). Common last bases must be
 * cut but one, so that one allele has a single base. Returns `undefined` where nothing moves: at the first base, before a base that
 * is none of ACGT, and where the reference has other bases than the record.
 */
export function leftAligned(
  bases: Bases,
  chromosome: string,
  { position, reference, alternate }: PlacedAllele,
): PlacedAllele | undefined {
  const isInsertion = alternate.length > reference.length;
  const long = isInsertion ? alternate : reference;
  let short = isInsertion ? reference : alternate;
  if (short.length !== 1 || long.length === 1 || !long.endsWith(short)) return undefined;
  if (bases.read(chromosome, position, position + reference.length - 1) !== reference) return undefined;
  // Bases before the allele, the nearest first. The long allele is a window over these and itself.
  const before: string[] = [];
  let chunk = '';
  let moved = 0;
  const lastOf = (steps: number): string | undefined =>
    steps < long.length ? long[long.length - 1 - steps] : before[steps - long.length];
  while (short === lastOf(moved)) {
    const place = position - 1 - moved;
    if (place < 1) break;
    if (chunk === '') chunk = bases.read(chromosome, Math.max(1, place - chunkLength + 1), place) ?? '';
    const base = chunk.at(-1) ?? '';
    chunk = chunk.slice(0, -1);
    if (!/^[ACGT]$/.test(base)) break;
    before.push(base);
    short = base;
    moved += 1;
  }
  if (moved === 0) return undefined;
  const window = `${before.toReversed().join('')}${long}`.slice(0, long.length);
  const place = position - moved;
  return isInsertion
    ? { position: place, reference: short, alternate: window }
    : { position: place, reference: window, alternate: short };
}
