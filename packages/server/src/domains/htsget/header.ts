import { type VirtualOffset, virtualOffset } from '@ploidy/formats/bgzf';
import type { BgzfBlob } from './bgzf-blob.ts';
import { blocksOf } from './stretch.ts';

/** A header above this many bytes is not put into tickets: clients get it as a block (htsget, "Inline data block URIs"). */
const inlineBytesMax = 1_000_000;

/** What stands before the first record of a file. */
export interface Header {
  /** As blocks of its own without a byte of a record, in base64; absent when it is large. */
  inline: string | undefined;
  /** Where the first record begins. */
  end: VirtualOffset;
  /** Where the records end: the block that ends the file begins there, or the file is over. */
  contentEnd: VirtualOffset;
  /** Names of the sequences that it lists, in its order. */
  references: string[];
}

/** What a format's reader says of the first inflated bytes of a file. */
export type HeaderReading = { size: number; references: string[] } | { bytesNeeded: number };

/** Reads the header of a file: as many blocks as `read` needs. Rejects with what `read` throws when it is none of the format. */
export async function readHeader(
  file: BgzfBlob,
  read: (bytes: Uint8Array, isWhole: boolean) => HeaderReading,
): Promise<Header> {
  const contents: Buffer[] = [];
  /** Where each block begins, in the file and in what it was inflated to. */
  const starts: { block: number; content: number }[] = [];
  let size = 0;
  let next = 0;
  let needed = 1;
  let reading: HeaderReading | undefined;
  for await (const block of file.blocks()) {
    starts.push({ block: block.start, content: size });
    contents.push(block.content);
    size += block.content.length;
    next = block.end;
    if (size < needed) continue;
    reading = read(Buffer.concat(contents), false);
    if ('size' in reading) break;
    needed = reading.bytesNeeded;
  }
  const bytes = Buffer.concat(contents);
  if (reading === undefined || !('size' in reading)) reading = read(bytes, true);
  if (!('size' in reading)) throw new Error('A header was read to its end and is not complete.');
  const { size: headerSize, references } = reading;
  const blocks = headerSize > inlineBytesMax * 16 ? undefined : await blocksOf(bytes.subarray(0, headerSize));
  return {
    inline: blocks && blocks.length <= inlineBytesMax ? blocks.toString('base64') : undefined,
    end: headerSize === size ? virtualOffset(next, 0) : placeOf(starts, headerSize),
    contentEnd: virtualOffset(await file.contentEnd(), 0),
    references,
  };
}

/** The place of an inflated byte that is there. */
function placeOf(starts: { block: number; content: number }[], at: number): VirtualOffset {
  const found = starts.findLast(({ content }) => content <= at);
  return found ? virtualOffset(found.block, at - found.content) : 0;
}
