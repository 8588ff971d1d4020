import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Chunk, joined, referenceNumber } from '@ploidy/formats/binning';
import type { Region } from '../request.ts';
import type { Contents, SequenceIndex } from './contents.ts';
import type { ChunkQuestion } from './messages.ts';

/**
 * Time slice of index lookups: thousands of regions in a dense file take seconds, during which other questions
 * must be answered.
 */
const turnMs = 10;

/** Thrown for a sequence that the file has not. */
export class UnknownName extends Error {
  override name = 'UnknownName';
}

/** Finds the chunks that hold the records of regions. */
export async function chunksOf(
  contents: Contents,
  question: ChunkQuestion,
  signal: AbortSignal,
): Promise<Chunk[]> {
  const { regions, readAs } = question;
  const { end, contentEnd } = await contents.header(question);
  const index = await contents.index(question);
  const isUnplaced = ({ referenceName }: Region): boolean => readAs !== 'VARIANTS' && referenceName === '*';
  const ranges = mergeRanges(regions.filter((one) => !isUnplaced(one)).map((one) => rangeOf(index, one)));
  const found = await chunksIn(index, ranges, signal);
  if (regions.some(isUnplaced)) found.push({ begin: index.bins.placedEnd ?? end, end: contentEnd });
  return joined(found.filter((chunk) => chunk.begin < chunk.end));
}

async function chunksIn(
  { bins }: SequenceIndex,
  ranges: readonly SequenceRange[],
  signal: AbortSignal,
): Promise<Chunk[]> {
  let found: Chunk[] = [];
  let turnEnds = performance.now() + turnMs;
  for (const { number, start, end } of ranges) {
    for (const chunk of bins.chunks(number, start, end)) found.push(chunk);
    if (performance.now() < turnEnds) continue;
    // Regions of one index window yield the same chunks repeatedly.
    found = joined(found);
    await nextTurn(undefined, { signal });
    turnEnds = performance.now() + turnMs;
  }
  return found;
}

function rangeOf({ numbers }: SequenceIndex, { referenceName, start, end }: Region): SequenceRange {
  const number = referenceNumber(numbers, referenceName);
  if (number === undefined) throw new UnknownName();
  return { number, start, end };
}

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
