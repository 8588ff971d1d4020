import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ConversionTask, Reporter } from '@ploidy/engine';
import { blockHeaderBytes, endOfFileBlock, isBlockStart, isGzipStart } from '@ploidy/formats/bgzf';
import { InputError } from '@ploidy/formats/input-error';

/** Largest buffer of a reading. One of a small file is no larger than that: larger ones would be collected a file later. */
const readBytes = 1024 * 1024;

export interface SourceReading {
  /** Receives the number of stored bytes read so far. */
  onRead?: (bytes: number) => void;
  /** Size of the chunks of inflated text. */
  chunkBytes?: number;
  /** Set if chunks may share memory: clearing new memory for each costs more than reading it. */
  isPassing?: boolean;
}

/** Bytes of a source, decompressed when its content is gzip (BGZF too). zlib checks every CRC and the end. */
export async function* readSource(
  path: string,
  { onRead, chunkBytes = readBytes, isPassing = false }: SourceReading = {},
): AsyncGenerator<Buffer> {
  const { isPacked, size } = await kindOf(path);
  const bufferBytes = Math.min(readBytes, size + 1);
  if (isPassing && !isPacked) return yield* passingChunks(path, bufferBytes, onRead);
  const file = createReadStream(path, { highWaterMark: bufferBytes });
  const unpacked = isPacked ? createGunzip({ chunkSize: chunkBytes }) : new PassThrough();
  // Not `pipeline`: what follows a gzip stream (zeros, with which tapes and some tools pad) may stay unread without being a failure.
  file.once('error', (error) => unpacked.destroy(error)).pipe(unpacked);
  try {
    for await (const chunk of unpacked) {
      onRead?.(file.bytesRead);
      yield chunk;
    }
  } catch (error) {
    throw gzipError(error) ?? error;
  } finally {
    file.destroy();
    unpacked.destroy();
  }
}

/** Reads the bytes of a file into one buffer that is reused. */
async function* passingChunks(
  path: string,
  bufferBytes: number,
  onRead: SourceReading['onRead'],
): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    const memory = Buffer.allocUnsafeSlow(bufferBytes);
    for (let position = 0; ; ) {
      const { bytesRead } = await file.read(memory, 0, bufferBytes, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      onRead?.(position);
      yield memory.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

export async function isGzip(path: string): Promise<boolean> {
  return (await kindOf(path)).isPacked;
}

/** Returns whether a file is gzip, and its bytes. */
async function kindOf(path: string): Promise<{ isPacked: boolean; size: number }> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return { isPacked: isGzipStart(buffer.subarray(0, bytesRead)), size };
  } finally {
    await file.close();
  }
}

/** Translates an error of zlib; returns undefined for other errors. */
export function gzipError(error: unknown): InputError | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!code.startsWith('Z_')) return undefined;
  if (code !== 'Z_BUF_ERROR') return damagedGzip(error);
  return new InputError('The gzip stream ends too early: the file is not complete.', {}, error);
}

/** Creates the error for a damaged gzip stream. */
export function damagedGzip(cause: unknown): InputError {
  return new InputError('The gzip stream is damaged, or other data follows it.', {}, cause);
}

/** Creates the error for lines that end with CR alone: all would be one line. */
export function loneReturn(line: number): InputError {
  return new InputError(
    'A line ends with a carriage return (CR) alone: save the file with LF or CRLF line ends.',
    { line },
  );
}

/** Returns whether the last bytes of a file are the block that marks its end. */
export async function hasEnd(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { length } = endOfFileBlock;
    const { buffer, bytesRead } = await file.read(
      new Uint8Array(length),
      0,
      length,
      Math.max(0, size - length),
    );
    return bytesRead === length && endOfFileBlock.every((byte, at) => buffer[at] === byte);
  } finally {
    await file.close();
  }
}

/**
 * Checks that a source compressed as BGZF has its last block: truncated between two blocks it looks whole to zlib. Throws
 * `InputError` without it, or warns where broken parts are to be skipped.
 */
export async function requireEnd({ sourcePath, options }: ConversionTask, report: Reporter): Promise<void> {
  const file = await open(sourcePath);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(blockHeaderBytes), 0, blockHeaderBytes, 0);
    if (!isBlockStart(buffer.subarray(0, bytesRead)) || (await hasEnd(sourcePath))) return;
  } finally {
    await file.close();
  }
  if (options.onError !== 'skip') throw new InputError(noEnd);
  report.warn({ message: noEnd });
}

const noEnd =
  'The file has no BGZF end-of-file block: it may be truncated. Upload the complete file, or compress it again with bgzip. With onError skip, the records before the end are ingested.';
