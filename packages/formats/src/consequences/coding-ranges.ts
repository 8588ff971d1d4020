import type { Transcript } from './transcript.ts';

/** Part of a transcript on its chromosome. */
export interface Range {
  start: number;
  end: number;
  /** Bases before the first codon; -1 if unknown. */
  phase: number;
}

/** Exons in the order of the chromosome. Those that touch are one: aligners split them at gaps of the transcript. */
export function joined(exons: readonly Range[], areExons: boolean): Range[] {
  const sorted = exons.toSorted((left, right) => left.start - right.start);
  const found: Range[] = [];
  for (const { start, end, phase } of sorted) {
    const last = found.at(-1);
    if (last && start <= last.end + (areExons ? 1 : 0)) last.end = Math.max(last.end, end);
    else found.push({ start, end, phase });
  }
  return found;
}

type Placed = Pick<Transcript, 'codingStart' | 'codingEnd' | 'phase' | 'isExact'>;

/** Places the coding ranges among the exons. They are exact if they are all bases of the exons between their ends, in frame. */
export function placeCoding(exons: readonly Range[], coding: readonly Range[], isReverse: boolean): Placed {
  const [lowest, highest] = [coding[0], coding.at(-1)];
  if (!lowest || !highest) return { codingStart: 0, codingEnd: 0, phase: 0, isExact: true };
  const [from, to] = [lowest.start, highest.end];
  const expected = exons
    .filter(({ start, end }) => end >= from && start <= to)
    .map(({ start, end }) => `${Math.max(start, from)}-${Math.min(end, to)}`);
  const isWhole = expected.join() === coding.map(({ start, end }) => `${start}-${end}`).join();
  const before = (position: number): number =>
    exons.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(end + 1, position) - start), 0);
  const total = before(Number.POSITIVE_INFINITY);
  const ordered = isReverse ? coding.toReversed() : coding;
  const phase = Math.max(0, ordered[0]?.phase ?? 0);
  let length = -phase;
  let isInFrame = true;
  for (const range of ordered) {
    if (range.phase >= 0 && length >= 0 && range.phase !== (3 - (length % 3)) % 3) isInFrame = false;
    length += range.end - range.start + 1;
  }
  return {
    codingStart: isReverse ? total - before(to + 1) : before(from),
    codingEnd: isReverse ? total - before(from) : before(to + 1),
    phase,
    isExact: isWhole && isInFrame,
  };
}
