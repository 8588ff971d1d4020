/** A part of a sequence, which is told by its number in the index. 0-based, half-open. */
export interface SequenceRange {
  number: number;
  start: number;
  end: number;
}

/**
 * What some of the ranges cover, in ranges that lie apart. The index goes through all bins of a range: thousands of ranges of one request that
 * each reach over a whole chromosome would take half a minute, in which nobody else is served.
 */
export function covered(ranges: readonly SequenceRange[]): SequenceRange[] {
  const result: SequenceRange[] = [];
  const ordered = ranges.toSorted((one, other) => one.number - other.number || one.start - other.start);
  for (const { number, start, end } of ordered) {
    const last = result.at(-1);
    if (last === undefined || last.number !== number || start > last.end) result.push({ number, start, end });
    else last.end = Math.max(last.end, end);
  }
  return result;
}
