import type { Joint, JointEnd } from './alternate.ts';

/** Reads a joint from its first end in the genome, so that both of its records have the same form. */
export function ordered({ left, right }: Joint): Joint {
  if (compareEnds(left, right) <= 0) return { left, right };
  return { left: flipped(right), right: flipped(left) };
}

/** Builds a key that both records of an ordered joint share. */
export function jointKey({ left, right }: Joint): string {
  return [left, right]
    .map(({ chromosome, position, strand }) => `${chromosome}:${position}:${strand ?? ''}`)
    .join('|');
}

function flipped(end: JointEnd): JointEnd {
  return { ...end, strand: end.strand && (end.strand === '+' ? '-' : '+') };
}

function compareEnds(left: JointEnd, right: JointEnd): number {
  const difference = rankOf(left.chromosome) - rankOf(right.chromosome);
  if (difference !== 0) return difference;
  if (left.chromosome !== right.chromosome) return left.chromosome < right.chromosome ? -1 : 1;
  if (left.position !== right.position) return left.position - right.position;
  // Both ends at one place: the one that is read forwards is first.
  return left.strand === '-' && right.strand === '-' ? 1 : 0;
}

const named = ['chrX', 'chrY', 'chrM'];

/** Ranks chromosomes: 1 … 22, X, Y, M, then all others. */
function rankOf(chromosome: string): number {
  const number = Number(/^chr(\d{1,2})$/.exec(chromosome)?.[1] ?? 0);
  if (number > 0) return number;
  const place = named.indexOf(chromosome);
  return place < 0 ? 200 : 100 + place;
}
