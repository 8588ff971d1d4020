import { InputError } from '../input-error.ts';

/** Header of a block with its length, in the form that all writers use: a gzip header with the extra field `BC` alone. */
export const blockHeaderBytes = 18;
/** CRC-32 and size of the uncompressed bytes, after the compressed ones. */
const blockTrailerBytes = 8;
/** Maximum bytes of a block, compressed as well as uncompressed (SAM spec §4.1). */
export const blockBytesMax = 65_536;

/** Place of a BGZF block in the searched bytes. */
export interface BgzfBlock {
  start: number;
  /** Start of its deflated bytes. */
  dataStart: number;
  /** End of its deflated bytes: start of its trailer. */
  dataEnd: number;
  /** Start of the next block. */
  end: number;
}

/** Empty block that ends a file: without it the file was truncated (SAM spec §4.1.2). */
export const endOfFileBlock: Uint8Array = Uint8Array.from([
  0x1f, 0x8b, 0x08, 0x04, 0, 0, 0, 0, 0, 0xff, 0x06, 0, 0x42, 0x43, 0x02, 0, 0x1b, 0, 0x03, 0, 0, 0, 0, 0, 0,
  0, 0, 0,
]);

/** Returns whether bytes start with the magic of gzip. */
export function isGzipStart(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Returns whether bytes begin a block: gzip with the extra field `BC` first. */
export function isBlockStart(bytes: Uint8Array): boolean {
  return isGzipStart(bytes) && bytes[3] === 4 && bytes[12] === 0x42 && bytes[13] === 0x43;
}

/**
 * Reads the header of the block at `start`; `undefined` while its bytes are incomplete. The rest of the block may be missing.
 * Throws `InputError` for anything but a BGZF block (SAM spec §4.1).
 */
export function readBlock(bytes: Uint8Array, start: number): BgzfBlock | undefined {
  if (bytes.length < start + blockHeaderBytes) return undefined;
  if (!isGzipStart(bytes.subarray(start)) || bytes[start + 2] !== 8)
    throw new InputError('A BGZF block was expected here, but there is none.');
  if (bytes[start + 3] !== 4) throw withoutBlocks();
  const fieldsStart = start + 12;
  const dataStart = fieldsStart + uint16(bytes, start + 10);
  if (bytes.length < dataStart) return undefined;
  const end = start + blockSize(bytes, fieldsStart, dataStart);
  const dataEnd = end - blockTrailerBytes;
  if (dataEnd < dataStart) throw new InputError('A BGZF block is shorter than its header states.');
  return { start, dataStart, dataEnd, end };
}

/** Finds the subfield `BC`, which holds the size of the block minus one; other subfields may precede it. */
function blockSize(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at + 4 <= end; at += 4 + uint16(bytes, at + 2)) {
    const isSize = bytes[at] === 0x42 && bytes[at + 1] === 0x43 && uint16(bytes, at + 2) === 2;
    if (isSize && at + 6 <= end) return uint16(bytes, at + 4) + 1;
  }
  throw withoutBlocks();
}

function withoutBlocks(): InputError {
  return new InputError(
    'This is gzip without the blocks of BGZF: decompress it, and compress it with bgzip.',
  );
}

/** Reads the trailer of a block: CRC and size of its uncompressed bytes. */
export function readTrailer(bytes: Uint8Array, { dataEnd }: BgzfBlock): { crc32: number; size: number } {
  return { crc32: uint32(bytes, dataEnd), size: uint32(bytes, dataEnd + 4) };
}

/**
 * Returns a whole block of bytes that were deflated without a header (`deflateRaw`). Throws a `RangeError` when they are too
 * many for one block.
 */
export function writeBlock(deflated: Uint8Array, content: { crc32: number; size: number }): Uint8Array {
  const size = blockHeaderBytes + deflated.length + blockTrailerBytes;
  if (size > blockBytesMax || content.size > blockBytesMax) {
    throw new RangeError('A BGZF block holds at most 64 KiB.');
  }
  const block = new Uint8Array(size);
  block.set(endOfFileBlock.subarray(0, blockHeaderBytes));
  block.set(deflated, blockHeaderBytes);
  const view = new DataView(block.buffer);
  view.setUint16(16, size - 1, true);
  view.setUint32(size - 8, content.crc32, true);
  view.setUint32(size - 4, content.size, true);
  return block;
}

function uint16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
}

function uint32(bytes: Uint8Array, at: number): number {
  return (uint16(bytes, at) | (uint16(bytes, at + 2) << 16)) >>> 0;
}
