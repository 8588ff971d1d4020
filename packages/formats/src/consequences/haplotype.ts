import type { Annotator, Consequence } from './annotator.ts';
import type { Change } from './region.ts';
import type { Transcript } from './transcript.ts';

/** Bases within which two changes can touch one codon, unless an intron is between them. */
export const codonReach = 2;

/** Consequence of a substitution together with others. */
interface JointConsequence extends Consequence {
  /** The other substitutions of the codon. */
  partners: readonly Change[];
}

/**
 * Finds the consequences of a substitution together with all others that a haplotype has in the same codon. `transcripts`: those
 * whose protein the change alone may change. `others`: in any order, at most one a base. Another kind of change among them leaves
 * the codon unknown: there is no consequence then.
 */
export function jointConsequences(
  annotator: Annotator,
  change: Change,
  others: readonly Change[],
  transcripts: readonly Transcript[],
): JointConsequence[] {
  if (![change, ...others].every(isSubstitution)) return [];
  const groups = new Map<string, { partners: Change[]; transcripts: Set<Transcript> }>();
  for (const transcript of transcripts) {
    const spliced = annotator.splicedOf(transcript);
    const codonOf = ({ position }: Change): number =>
      Math.floor((spliced.offsetOf(position) - spliced.frameStart) / 3);
    const partners = others.filter(
      (other) => spliced.offsetOf(other.position) >= 0 && codonOf(other) === codonOf(change),
    );
    if (partners.length === 0) continue;
    const key = partners.map(({ position }) => position).join();
    const known = groups.get(key) ?? { partners, transcripts: new Set() };
    groups.set(key, known);
    known.transcripts.add(transcript);
  }
  return [...groups.values()].flatMap(({ partners, transcripts }) => {
    const joined = joinedChange(annotator, [change, ...partners]);
    if (!joined) return [];
    return annotator
      .consequencesOf(joined)
      .filter(({ transcript, protein }) => protein !== undefined && transcripts.has(transcript))
      .map((one) => ({ ...one, partners }));
  });
}

const isSubstitution = ({ removed, added }: Change): boolean => removed.length === 1 && added.length === 1;

/** Joins substitutions into one change, with the bases of the reference between them. */
function joinedChange({ bases }: Annotator, changes: readonly Change[]): Change | undefined {
  const sorted = changes.toSorted((left, right) => left.position - right.position);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (!first || !last) return undefined;
  const { chromosome, position } = first;
  const removed = bases.read(chromosome, position, last.position);
  if (removed === undefined || removed.length !== last.position - position + 1) return undefined;
  const added = Array.from(removed);
  for (const one of sorted) added[one.position - position] = one.added;
  return { chromosome, position, removed, added: added.join('') };
}
