import { gunzipSync } from 'node:zlib';
import { type VirtualOffset, virtualOffset } from '@ploidy/formats/bgzf';
import { endOfCram, readCramHeader } from '@ploidy/formats/cram';
import { InputError } from '@ploidy/formats/input-error';
import type { BlobInfo, Blobs, ByteRange } from '../../../../platform/blobs/blobs.ts';
import type { BgzfBlob } from '../blocks/bgzf-blob.ts';
import { blocksOf } from '../blocks/block-stream.ts';

/**
 * Maximum header size inside a ticket; clients fetch a larger one as a block (htsget, "Inline data block
 * URIs").
 */
const inlineBytesMax = 1_000_000;

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

/** Bytes that hold the header of most files. */
const headBytes = 256 * 1024;

/** Reads the header of a CRAM: everything before the first container of records. */
export async function cramHeader(blobs: Pick<Blobs, 'open'>, { key, size }: BlobInfo): Promise<NamedHeader> {
  const bytesOf = async (range: ByteRange): Promise<Buffer> =>
    Buffer.concat(await (await blobs.open(key, range)).toArray());
  for (let needed = headBytes; ; ) {
    const bytes = await bytesOf({ start: 0, end: Math.min(size, needed) });
    const header = readCramHeader(bytes, inflate);
    if ('size' in header) {
      const isSmall = header.size <= inlineBytesMax;
      const end = size - endOfCram.length;
      const isMarked = (await bytesOf({ start: end, end: size })).equals(endOfCram);
      return {
        format: 'CRAM',
        inline: isSmall ? bytes.toString('base64', 0, header.size) : undefined,
        end: virtualOffset(header.size, 0),
        contentEnd: virtualOffset(isMarked ? end : size, 0),
        references: header.references.map(({ name }) => name),
      };
    }
    if (bytes.length === size) throw new InputError('The file ends within its header.');
    needed = Math.max(header.bytesNeeded, needed * 2);
  }
}

function inflate(data: Uint8Array, size: number): Uint8Array {
  return gunzipSync(data, { maxOutputLength: Math.max(1, size) });
}
