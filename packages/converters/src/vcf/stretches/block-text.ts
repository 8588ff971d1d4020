import { closeSync, openSync, readSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { hasCode } from '@ploidy/engine/task-runtime';
import { blockBytesMax, readBlock, readTrailer } from '@ploidy/formats';
import { damagedGzip, gzipError } from '../../decompressed-source.ts';
import type { BlockStretch } from './block-stretches.ts';
import { lineBytesMax, type Stretch } from './stretch-cutter.ts';

const newline = 10;
/** Compressed bytes that are read first for the rest of a line beyond the read blocks. */
const furtherBytes = 1 << 18;
/** Minimum room: with less zlib allocates a second buffer to see that the text has ended. */
const spareBytes = 64;

/** Buffer for the compressed bytes of a stretch, reused by the thread. */
let room = new Uint8Array(1 << 20);

/** Reads and inflates a stretch. Throws `InputError` when zlib finds it damaged. */
export function readStretch(stretch: BlockStretch): Stretch {
  const { path, from, to, ownStart, ownEnd, beginsLine, sourceBytes } = stretch;
  const file = openSync(path, 'r');
  try {
    const text = inflated(read(file, from, to));
    const before = beginsLine ? ownStart : text.indexOf(newline, ownStart) + 1;
    // Where no line begins, all of it belongs to an earlier one.
    if (!beginsLine && (before === 0 || before > ownEnd)) return nothing(sourceBytes);
    const lastStart = Math.max(before, text.lastIndexOf(newline, ownEnd - 1) + 1);
    const { whole, end } = withEnd(text, { start: lastStart, at: ownEnd }, to, file);
    if (end < 0) return { ...ofText(text, before, lastStart), sourceBytes, isCutShort: true };
    return { ...ofText(whole, before, end), sourceBytes };
  } finally {
    closeSync(file);
  }
}

function ofText(text: Buffer, before: number, byteCount: number): Omit<Stretch, 'sourceBytes'> {
  const start = Math.min(before, text.indexOf(newline) + 1);
  const textBytes = Math.max(byteCount, text.lastIndexOf(newline) + 1);
  return { memory: memoryOf(text), start, before, byteCount, textBytes };
}

function nothing(sourceBytes: number): Stretch {
  return { memory: new ArrayBuffer(0), start: 0, before: 0, byteCount: 0, textBytes: 0, sourceBytes };
}

/**
 * Returns the text with the whole line that begins at `start` and continues at `at`, and its end; -1 when it is too long. Later
 * blocks are read if necessary.
 */
function withEnd(
  text: Buffer,
  { start, at }: { start: number; at: number },
  next: number,
  file: number,
): { whole: Buffer; end: number } {
  let whole = text;
  let position = next;
  for (let size = furtherBytes; ; size *= 2) {
    const end = whole.indexOf(newline, at) + 1;
    if ((end > 0 ? end - 1 : whole.length) - start > lineBytesMax) return { whole, end: -1 };
    if (end > 0) return { whole, end };
    const bytes = wholeBlocks(read(file, position, position + size));
    if (bytes.length === 0) break;
    whole = Buffer.concat([whole, inflated(bytes)]);
    position += bytes.length;
  }
  // The last line of a file may lack an end.
  if (whole[whole.length - 1] !== newline) whole = Buffer.concat([whole, Buffer.of(newline)]);
  return { whole, end: whole.length };
}

function wholeBlocks(bytes: Uint8Array): Uint8Array {
  let at = 0;
  for (let block = readBlock(bytes, at); block && block.end <= bytes.length; block = readBlock(bytes, at))
    at = block.end;
  return bytes.subarray(0, at);
}

/** Reads a range of the file, as far as it exists. The result is valid until the next call. */
function read(file: number, from: number, to: number): Uint8Array {
  if (room.length < to - from) room = new Uint8Array(to - from);
  let size = 0;
  for (let count = 1; count > 0 && from + size < to; size += count)
    count = readSync(file, room, size, to - from - size, from + size);
  return room.subarray(0, size);
}

/** zlib checks the CRC of every block. */
function inflated(bytes: Uint8Array): Buffer {
  const size = textBytesOf(bytes);
  try {
    return gunzipSync(bytes, { chunkSize: size + spareBytes, maxOutputLength: size + spareBytes });
  } catch (error) {
    // A block longer than its stated size.
    throw hasCode(error, 'ERR_BUFFER_TOO_LARGE') ? damagedGzip(error) : (gzipError(error) ?? error);
  }
}

function textBytesOf(bytes: Uint8Array): number {
  let size = 0;
  for (let block = readBlock(bytes, 0); block; block = readBlock(bytes, block.end))
    size += Math.min(blockBytesMax, readTrailer(bytes, block).size);
  return size;
}

/** Copies into memory of its own, which threads can transfer; that of small texts is part of Node's shared pool. */
function memoryOf({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer {
  const isOwn = byteOffset === 0 && buffer.byteLength - byteLength <= spareBytes;
  if (isOwn && buffer instanceof ArrayBuffer) return buffer;
  return Uint8Array.from(new Uint8Array(buffer, byteOffset, byteLength)).buffer;
}
