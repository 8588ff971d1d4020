import type { Annotator, Consequence } from './annotator.ts';
import type { Change } from './region.ts';

/** Bases within which two changes can touch one codon, unless an intron is between them. */
export const codonReach = 2;

/**
 * Finds the consequences of substitutions that one haplotype has together, for the transcripts in which all touch one codon.
 * `changes`: in any order, at most one a base.
 */
export function jointConsequences(annotator: Annotator, changes: readonly Change[]): Consequence[] {
  const joined = joinedChange(annotator, changes);
  if (!joined) return [];
  return annotator.consequencesOf(joined).filter(({ transcript, protein }) => {
    if (protein === undefined) return false;
    const spliced = annotator.splicedOf(transcript);
    const offsets = changes.map(({ position }) => spliced.offsetOf(position));
    const codons = new Set(offsets.map((offset) => Math.floor((offset - spliced.frameStart) / 3)));
    return codons.size === 1;
  });
}

/** Joins substitutions into one change, with the bases of the reference between them; undefined for other changes. */
function joinedChange({ bases }: Annotator, changes: readonly Change[]): Change | undefined {
  const sorted = changes.toSorted((left, right) => left.position - right.position);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (!first || !last || sorted.some(({ removed, added }) => removed.length !== 1 || added.length !== 1))
    return undefined;
  const { chromosome, position } = first;
  const removed = bases.read(chromosome, position, last.position);
  if (removed === undefined || removed.length !== last.position - position + 1) return undefined;
  const added = Array.from(removed);
  for (const one of sorted) added[one.position - position] = one.added;
  return { chromosome, position, removed, added: added.join('') };
}
