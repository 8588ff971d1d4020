import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { PutOptions } from './blobs.ts';
import { Receiver } from './receive.ts';

/** Bytes gathered before a write: network chunks are small, and each write is a trip to another thread. */
const gatherBytes = 512 * 1024;

/** Bytes that are written between two looks at the free space. */
const roomBytes = 64 * 1024 ** 2;

/**
 * Writes a source to a new file and, if `durably`, syncs it. Reads no faster than the disk writes. `room` rejects when no more
 * is to be written. A failure leaves the file for the caller to remove, and the source open for an answer over HTTP.
 */
export async function writeReceived(
  path: string,
  source: Readable,
  options: PutOptions,
  durably: boolean,
  room?: () => Promise<void>,
): Promise<{ size: number; sha256: string }> {
  const { signal } = options;
  signal?.throwIfAborted();
  // It may fail before it is read below, which then throws the error; without a listener it would end the process.
  source.on('error', () => undefined);
  const abort = () => source.destroy(asError(signal?.reason));
  signal?.addEventListener('abort', abort, { once: true });
  const receiver = new Receiver(options);
  const file = await open(path, 'wx', 0o600);
  try {
    await room?.();
    await drain(source, receiver, file, room);
    signal?.throwIfAborted();
    const sha256 = receiver.finish();
    if (durably) await file.sync();
    return { size: receiver.size, sha256 };
  } finally {
    signal?.removeEventListener('abort', abort);
    await file.close();
  }
}

async function drain(
  source: Readable,
  receiver: Receiver,
  file: FileHandle,
  room: (() => Promise<void>) | undefined,
): Promise<void> {
  let roomFor = roomBytes;
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    const buffer: Uint8Array = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    receiver.take(buffer);
    gathered.push(buffer);
    bytes += buffer.length;
    if (bytes < gatherBytes) continue;
    if (receiver.size > roomFor) {
      await room?.();
      roomFor = receiver.size + roomBytes;
    }
    await writeAll(file, gathered);
    gathered = [];
    bytes = 0;
  }
  await writeAll(file, gathered);
}

/** Writes all bytes; one write may accept fewer than it was given. */
async function writeAll(file: FileHandle, chunks: Uint8Array[]): Promise<void> {
  let left = chunks.filter((chunk) => chunk.length > 0);
  while (left.length > 0) {
    const { bytesWritten } = await file.writev(left);
    left = after(left, bytesWritten);
  }
}

/** Drops the first `bytes` of `chunks`. */
function after(chunks: Uint8Array[], bytes: number): Uint8Array[] {
  let skip = bytes;
  for (const [at, chunk] of chunks.entries()) {
    if (skip < chunk.length) return [chunk.subarray(skip), ...chunks.slice(at + 1)];
    skip -= chunk.length;
  }
  return [];
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The transfer was stopped.');
}
