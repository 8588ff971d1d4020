import type { BlockMap } from './block-map.ts';

/** Some blocks of a BGZF file, for a thread that reads and inflates them itself (`block-text.ts`). Its own are the lines that begin in its own blocks. */
export interface BlockStretch {
  path: string;
  /** Where the blocks begin and end in the file that are read: its own, with some before and behind them. */
  from: number;
  to: number;
  /** Where its own begin and end in the text of these. */
  ownStart: number;
  ownEnd: number;
  /** Whether a line begins at `ownStart`. Else the one that has begun there, or begins just there, is of the stretch before. */
  beginsLine: boolean;
  /** Of the source, read up to the end of its own blocks. */
  sourceBytes: number;
}

export interface BlockDivision {
  path: string;
  /** Where the first record begins in the text. */
  headerBytes: number;
  /** Of text, in the own blocks of a stretch, about. */
  stretchBytes: number;
  /** Of text before a stretch and behind it, at least: to be looked at, and to find the end of its last line. */
  beforeBytes: number;
  behindBytes: number;
}

/** A stretch is at most this part of what is left of the text, but not less than the second part of the others. */
const [lastShare, leastShare] = [6, 4];

/** Divides the blocks behind the header into stretches. */
export function* blockStretches(
  { offsets, textOffsets }: BlockMap,
  { path, headerBytes, stretchBytes, beforeBytes, behindBytes }: BlockDivision,
): Generator<BlockStretch> {
  const last = offsets.length - 1;
  const textEnd = textOffsets[last] as number;
  /** The last block that begins there or before. */
  const blockAt = (text: number, from: number): number => {
    let block = from;
    while (block < last && (textOffsets[block + 1] as number) <= text) block += 1;
    return block;
  };
  let readFrom = 0;
  let start = headerBytes;
  for (let block = blockAt(headerBytes, 0); start < textEnd; ) {
    let end = block + 1;
    // The last ones become smaller, so that no thread is left with a large one when the others have ended.
    const wanted = Math.min(stretchBytes, Math.max(stretchBytes / leastShare, (textEnd - start) / lastShare));
    while (end < last && (textOffsets[end] as number) - start < wanted) end += 1;
    readFrom = blockAt(Math.max(0, start - beforeBytes), Math.min(readFrom, block));
    const own = textOffsets[end] as number;
    const readTo = Math.min(last, blockAt(own + behindBytes, end) + 1);
    const base = textOffsets[readFrom] as number;
    yield {
      path,
      from: offsets[readFrom] as number,
      to: offsets[readTo] as number,
      ownStart: start - base,
      ownEnd: own - base,
      beginsLine: start === headerBytes,
      sourceBytes: offsets[end] as number,
    };
    start = own;
    block = end;
  }
}
