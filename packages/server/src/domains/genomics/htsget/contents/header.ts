import { type VirtualOffset, virtualOffset } from '@ploidy/formats/bgzf';
import type { BgzfBlob } from '../blocks/bgzf-blob.ts';
import { blocksOf } from '../blocks/block-stream.ts';

/**
 * Maximum header size inside a ticket; clients fetch a larger one as a block (htsget, "Inline data block
 * URIs").
 */
export const inlineBytesMax = 1_000_000;

/** Header of a file: everything before the first record. */
export interface Header {
  format: TicketFormat;
  /** Base64 of separate blocks without bytes of a record; absent if large. */
  inline: string | undefined;
  /** Position of the first record. */
  end: VirtualOffset;
  /** End of the records: start of the end-of-file block, or end of the file. */
  contentEnd: VirtualOffset;
}

/** Header as the thread keeps it. */
export interface NamedHeader extends Header {
  /** Names of the listed sequences, in order. */
  references: string[];
}

/** Formats of the standard. */
export type TicketFormat = 'BAM' | 'CRAM' | 'VCF' | 'BCF';

/** Result of a format's header reader over the first inflated bytes of a file. */
export type HeaderReading =
  | { format: TicketFormat; size: number; references: string[] }
  | { bytesNeeded: number };

/** Reads the header of a file, as many blocks as `read` needs. Rejects with the errors of `read`. */
export async function readHeader(
  file: BgzfBlob,
  read: (bytes: Uint8Array, isWhole: boolean) => HeaderReading,
): Promise<NamedHeader> {
  const contents: Buffer[] = [];
  /** Start of each block, in the file and in the inflated bytes. */
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
  const { format, size: headerSize, references } = reading;
  const blocks = headerSize > inlineBytesMax * 16 ? undefined : await blocksOf(bytes.subarray(0, headerSize));
  return {
    format,
    inline: blocks && blocks.length <= inlineBytesMax ? blocks.toString('base64') : undefined,
    end: headerSize === size ? virtualOffset(next, 0) : placeOf(starts, headerSize),
    contentEnd: virtualOffset(await file.contentEnd(), 0),
    references,
  };
}

/** Returns the virtual offset of an inflated byte. */
function placeOf(starts: { block: number; content: number }[], at: number): VirtualOffset {
  const found = starts.findLast(({ content }) => content <= at);
  return found ? virtualOffset(found.block, at - found.content) : 0;
}
