/** Range of a sequence, identified by its number in the index. 0-based, half-open. */
export interface SequenceRange {
  number: number;
  start: number;
  end: number;
}

/**
 * Merges overlapping ranges. Thousands of ranges in one request, each over a whole chromosome, would
 * otherwise visit all index bins each: half a minute of blocking.
 */
export function mergeRanges(ranges: readonly SequenceRange[]): SequenceRange[] {
  const result: SequenceRange[] = [];
  const ordered = ranges.toSorted((one, other) => one.number - other.number || one.start - other.start);
  for (const { number, start, end } of ordered) {
    const last = result.at(-1);
    if (last === undefined || last.number !== number || start > last.end) result.push({ number, start, end });
    else last.end = Math.max(last.end, end);
  }
  return result;
}
