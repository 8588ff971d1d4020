import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ClientError, errorFrom, unreachable } from './client-error.ts';
import type { BytesListener } from './upload.ts';

export interface DownloadOptions {
  onBytes?: BytesListener;
  /** An abort rejects; nothing half-done stays. */
  signal?: AbortSignal;
}

const triesMax = 4;
const waitMs = 250;

/** The connection broke, and nothing else: what the caller's own code throws is never tried again. */
class Lost extends Error {}

function lost(cause: unknown): never {
  throw new Lost('The connection was lost.', { cause });
}

/**
 * The bytes of an address. When the connection breaks on the way it goes on where it was, as long as the file is still the
 * same (`If-Range`). What `headersOf` and `onBytes` throw comes out at once.
 */
export async function* bytesFrom(
  url: string,
  headersOf: () => Promise<Record<string, string>>,
  { onBytes, signal }: DownloadOptions = {},
): AsyncGenerator<Uint8Array> {
  let received = 0;
  let etag: string | null = null;
  for (let attempt = 1; ; attempt++) {
    const headers = await headersOf();
    try {
      const rest = etag === null ? {} : { range: `bytes=${received}-`, 'if-range': etag };
      const request = { headers: { ...headers, ...rest }, ...(signal && { signal }) };
      const response: Response = await fetch(url, request).catch(lost);
      if (!response.ok || !response.body) throw await errorFrom(response).catch(lost);
      if (received > 0 && response.status !== 206) throw changed();
      const length = response.headers.get('content-length');
      const total = length === null ? undefined : received + Number(length);
      for await (const chunk of arriving(response.body)) {
        received += chunk.length;
        etag = response.headers.get('etag');
        attempt = 1;
        yield chunk;
        onBytes?.(received, total);
      }
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof Lost)) throw error;
      const isOver = attempt === triesMax || (received > 0 && etag === null);
      if (isOver) throw unreachable(new URL(url).origin, error.cause);
      await delay(waitMs * attempt);
    }
  }
}

/** An error of whoever reads them does not pass through here. */
async function* arriving(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    lost(error);
  }
}

function changed(): ClientError {
  const message = 'The file was replaced while it was downloaded. Try again.';
  return new ClientError(message, { status: 0, code: 'FILE_CHANGED' });
}

/** Writes the bytes into a sink, which stays open, or into a file, which appears under its name only when it is complete. */
export async function save(
  bytes: AsyncIterable<Uint8Array>,
  sink: string | Writable,
  signal?: AbortSignal,
): Promise<void> {
  const options = signal ? { signal } : {};
  if (typeof sink !== 'string') return pipeline(bytes, sink, { ...options, end: false });
  const target = await targetOf(sink);
  // A pipe or a device is written to; renaming a file over it would replace it.
  if (!target.replaceable) return pipeline(bytes, createWriteStream(sink), options);
  const part = `${target.path}.${randomUUID().slice(0, 8)}.part`;
  // Open before anything can fail: a stream that opens it by itself may make it after it was removed.
  const file = await open(part, 'wx');
  try {
    await pipeline(bytes, file.createWriteStream(), options);
    await rename(part, target.path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function targetOf(path: string): Promise<{ path: string; replaceable: boolean }> {
  try {
    return { path: await realpath(path), replaceable: (await stat(path)).isFile() };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { path, replaceable: true };
    throw error;
  }
}
