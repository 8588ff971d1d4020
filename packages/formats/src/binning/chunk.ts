import { blockStartOf, type VirtualOffset } from '../bgzf/index.ts';

/** Range from the first place to before the second, both at the beginning of a record. */
export interface Chunk {
  begin: VirtualOffset;
  end: VirtualOffset;
}

/** Merges chunks in the order of the file where they touch, overlap or meet in one block. */
export function joined(chunks: readonly Chunk[]): Chunk[] {
  const result: Chunk[] = [];
  for (const { begin, end } of chunks.toSorted((one, other) => one.begin - other.begin)) {
    const last = result.at(-1);
    if (last === undefined || blockStartOf(begin) > blockStartOf(last.end)) result.push({ begin, end });
    else last.end = Math.max(last.end, end);
  }
  return result;
}
