import type { FileHandle } from 'node:fs/promises';
import { crc32, gunzipSync } from 'node:zlib';
import {
  type CramContainer,
  type CramHeader,
  InputError,
  readContainer,
  readCramBlock,
  readCramHeader,
  ShortCramError,
} from '@ploidy/formats';

/** Bytes that hold the header of nearly every container. */
const headBytes = 4096;

/** A container with all its bytes, whose checksums match. */
export interface LoadedContainer extends CramContainer {
  /** Start in the file. */
  start: number;
  bytes: Uint8Array;
}

/** Reads the header of a file. Rejects with `InputError` for anything but a CRAM of version 3. */
export async function readHeader(file: FileHandle): Promise<CramHeader> {
  for (let needed = headBytes; ; ) {
    const bytes = await read(file, 0, needed);
    const header = readCramHeader(bytes, inflated);
    if (!('bytesNeeded' in header)) return header;
    if (bytes.length < needed) throw new InputError('The file ends within its header: it is not complete.');
    needed = Math.max(header.bytesNeeded, needed + headBytes);
  }
}

/** Reads the containers from an offset to the end of the file. Rejects with `InputError` for damaged and incomplete ones. */
export async function* readContainers(file: FileHandle, from: number): AsyncGenerator<LoadedContainer> {
  const { size } = await file.stat();
  for (let start = from; start < size; ) {
    const container = await load(file, start);
    yield container;
    start += container.bytes.length;
  }
}

async function load(file: FileHandle, start: number): Promise<LoadedContainer> {
  const header = await readHead(file, start);
  const size = header.headerBytes + header.length;
  const bytes = await read(file, start, size);
  if (bytes.length < size) throw cutOff(start);
  const isIntact = crc32(bytes.subarray(0, header.headerBytes - 4)) === header.checksum;
  if (!isIntact || !hasIntactBlocks(bytes, header)) throw damaged(start);
  return { ...header, start, bytes };
}

async function readHead(file: FileHandle, start: number): Promise<CramContainer> {
  for (let length = headBytes; ; length *= 16) {
    const bytes = await read(file, start, length);
    try {
      return readContainer(bytes);
    } catch (error) {
      if (!(error instanceof ShortCramError)) throw damaged(start, error);
      if (bytes.length < length) throw cutOff(start);
    }
  }
}

function hasIntactBlocks(bytes: Uint8Array, { headerBytes, blocks }: CramContainer): boolean {
  let at = headerBytes;
  try {
    for (let index = 0; index < blocks; index += 1) {
      const { checked, checksum, end } = readCramBlock(bytes, at);
      if (crc32(checked) !== checksum) return false;
      at = end;
    }
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

/** Decompresses gzip to exactly `size` bytes. */
export function inflated(data: Uint8Array, size: number): Uint8Array {
  try {
    const content = gunzipSync(data, { maxOutputLength: Math.max(1, size) });
    if (content.length === size) return content;
  } catch (error) {
    throw new InputError('A block of the CRAM is damaged.', {}, error);
  }
  throw new InputError('A block of the CRAM is damaged.');
}

async function read(file: FileHandle, start: number, length: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, start);
  return buffer.subarray(0, bytesRead);
}

/** Creates the error for a container that cannot be read. */
export function damaged(start: number, cause?: unknown): InputError {
  return new InputError(`The container at byte ${start} is damaged.`, {}, cause);
}

const cutOff = (start: number): InputError =>
  new InputError(`The file ends within the container at byte ${start}: it is not complete.`);
