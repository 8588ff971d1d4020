import { InputError } from '../input-error.ts';
import { CramNumbers } from './numbers.ts';

/** Maximum bytes of a container and of a block's content; writers make some megabytes. */
const containerBytesMax = 512 * 1024 * 1024;
/** Maximum slices of a container; writers make one, or some. */
const slicesMax = 65_536;
/** Maximum records of a slice; writers make ten thousand. */
const recordsMax = 2 ** 24;

/** Header of a container (CRAM spec §7). */
export interface CramContainer {
  /** Bytes of the header, its checksum included. */
  headerBytes: number;
  /** Bytes of the blocks that follow it. */
  length: number;
  records: number;
  blocks: number;
  /** Starts of the slices, counted from the first block. */
  slices: number[];
  checksum: number;
}

/** Reads the header of a container at the start of the bytes. `ShortCramError` if they end within it. */
export function readContainer(bytes: Uint8Array): CramContainer {
  const numbers = new CramNumbers(bytes);
  const length = numbers.int32();
  if (length < 0 || length > containerBytesMax) throw new InputError('A container of the CRAM is damaged.');
  // Sequence, start and span are skipped: the records have them too.
  for (let field = 0; field < 3; field += 1) numbers.itf8();
  const records = numbers.itf8();
  numbers.skipLtf8();
  numbers.skipLtf8();
  const blocks = numbers.itf8();
  const sliceCount = numbers.itf8();
  if (records < 0 || records > recordsMax || sliceCount < 0 || sliceCount > slicesMax)
    throw new InputError('A container of the CRAM is damaged.');
  const slices: number[] = [];
  for (let slice = 0; slice < sliceCount; slice += 1) slices.push(numbers.itf8());
  const checksum = numbers.uint32();
  return { headerBytes: numbers.at, length, records, blocks, slices, checksum };
}

/** Compression of a block's content (CRAM spec §8). */
export const blockMethods = { raw: 0, gzip: 1 } as const;

/** One block of a container, as it is in the file (CRAM spec §8). */
interface CramBlock {
  method: number;
  /** Compressed content. */
  data: Uint8Array;
  /** Bytes of the content. */
  size: number;
  /** All bytes that the checksum covers. */
  checked: Uint8Array;
  checksum: number;
  /** Start of the next block. */
  end: number;
}

/** Reads the block at `start`. `ShortCramError` if the bytes end within it. */
export function readCramBlock(bytes: Uint8Array, start: number): CramBlock {
  const numbers = new CramNumbers(bytes, start);
  const method = numbers.byte();
  numbers.byte();
  numbers.itf8();
  const packed = numbers.itf8();
  const size = numbers.itf8();
  if (packed < 0 || size < 0 || packed > containerBytesMax || size > containerBytesMax)
    throw new InputError('A block of the CRAM is damaged.');
  const dataEnd = numbers.at + packed;
  const data = bytes.subarray(numbers.at, dataEnd);
  numbers.at = dataEnd;
  const checksum = numbers.uint32();
  return { method, data, size, checked: bytes.subarray(start, dataEnd), checksum, end: numbers.at };
}
