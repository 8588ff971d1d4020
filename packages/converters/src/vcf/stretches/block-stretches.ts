import type { BlockMap } from './block-map.ts';

/**
 * Blocks of a BGZF file for a thread that reads and inflates them itself (`block-text.ts`). The stretch owns the lines that
 * begin in its own blocks.
 */
export interface BlockStretch {
  path: string;
  /** Range in the file of the blocks to read: its own, with some before and behind. */
  from: number;
  to: number;
  /** Range of its own blocks in the text of these. */
  ownStart: number;
  ownEnd: number;
  /** Set if a line starts at `ownStart`. Otherwise the line that covers or starts at this place belongs to the previous stretch. */
  beginsLine: boolean;
  /** Bytes of the source up to the end of its own blocks. */
  sourceBytes: number;
}

export interface BlockDivision {
  path: string;
  /** Start of the first record in the text. */
  headerBytes: number;
  /** Approximate bytes of text in the own blocks of a stretch. */
  stretchBytes: number;
  /** Minimum bytes of text before and after a stretch: context, and the end of its last line. */
  beforeBytes: number;
  behindBytes: number;
}

/** Maximum stretch as a share of the remaining text, but not less than the given part of the others. */
const [lastShare, shareMin] = [6, 4];

/** Divides the blocks after the header into stretches. */
export function* blockStretches(
  { offsets, textOffsets }: BlockMap,
  { path, headerBytes, stretchBytes, beforeBytes, behindBytes }: BlockDivision,
): Generator<BlockStretch> {
  const last = offsets.length - 1;
  const textEnd = textOffsets[last] as number;
  /** Finds the last block that begins there or before. */
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
    const wanted = Math.min(stretchBytes, Math.max(stretchBytes / shareMin, (textEnd - start) / lastShare));
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
