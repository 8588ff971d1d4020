import { ClientError, errorFrom, unreachable } from './client-error.ts';
import { Backoff, isPassing, pause } from './retry.ts';
import type { TransferOptions } from './upload-parts.ts';

/** State of a partly downloaded file. */
export interface Received {
  bytes: number;
  /** Entity tag of the bytes' version. */
  etag: string | null;
}

export interface DownloadOptions extends TransferOptions {
  /** Bytes of an earlier download; only the rest is yielded. `FILE_CHANGED` if they are of another version. */
  from?: Received | undefined;
  /** Receives the entity tag of the version, before its first bytes. */
  onVersion?: ((etag: string | null) => void) | undefined;
}

/** The connection or the service went away, and nothing else: what the caller's own code throws is never tried again. */
class Lost extends Error {
  readonly reason: ClientError;

  constructor(reason: ClientError) {
    super(reason.message, { cause: reason });
    this.reason = reason;
  }
}

/**
 * Yields the bytes of an address. After a broken connection or a restart it continues where it was, while the file is the same
 * (`If-Range`). After a minute without a byte it fails. Other errors of `headersOf`, and those of `onBytes`, are thrown at
 * once.
 */
export async function* bytesFrom(
  url: string,
  headersOf: () => Promise<Record<string, string>>,
  { onBytes, signal, from, onVersion }: DownloadOptions = {},
): AsyncGenerator<Uint8Array> {
  const received: Received = { bytes: 0, etag: null, ...from };
  const backoff = new Backoff();
  for (;;) {
    try {
      const headers = await headersOf().catch(throwLost);
      const { body, etag, length } = await requestRest(url, headers, received, signal);
      const total = length === null ? undefined : received.bytes + Number(length);
      onVersion?.(etag);
      for await (const chunk of readBody(url, body)) {
        received.bytes += chunk.length;
        received.etag = etag;
        backoff.renew();
        yield chunk;
        onBytes?.(received.bytes, total);
      }
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof Lost)) throw error;
      // Without a tag the rest may be of another version.
      if (received.bytes > 0 && received.etag === null) throw error.reason;
      await pause(backoff.pauseAfter(error.reason), signal);
    }
  }
}

/** Returns the answer with the bytes that are missing yet. `FILE_CHANGED` when those would be of another version. */
async function requestRest(
  url: string,
  headers: Record<string, string>,
  { bytes, etag }: Received,
  signal: AbortSignal | undefined,
): Promise<{ body: AsyncIterable<Uint8Array>; etag: string | null; length: string | null }> {
  const rest: Record<string, string> = etag === null ? {} : { range: `bytes=${bytes}-`, 'if-range': etag };
  const lost = (cause: unknown): never => {
    throw new Lost(unreachable(new URL(url).origin, cause));
  };
  const request = { headers: { ...headers, ...rest }, ...(signal && { signal }) };
  const response: Response = await fetch(url, request).catch(lost);
  if (!response.ok || !response.body) {
    throwLost(await errorFrom(response).catch(lost));
  }
  const present = { etag: response.headers.get('etag'), length: response.headers.get('content-length') };
  if (bytes > 0 && !(response.status === 206 && present.etag === etag)) {
    await response.body.cancel();
    throw changed();
  }
  return { body: response.body, ...present };
}

function throwLost(error: unknown): never {
  throw isPassing(error) ? new Lost(error) : error;
}

/** Errors of the reader do not pass through here. */
async function* readBody(url: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw new Lost(unreachable(new URL(url).origin, error));
  }
}

function changed(): ClientError {
  const message = 'The file was replaced while it was downloaded. Try again.';
  return new ClientError(message, { status: 0, code: 'FILE_CHANGED' });
}
