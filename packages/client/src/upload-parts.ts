import { ClientError, foreign } from './client-error.ts';
import { type Api, bodyOf } from './connection.ts';
import { isPassing, type RetryOptions, type RetryPolicy, retry } from './retry.ts';

const mebibyte = 1024 * 1024;
/** The smallest part: a `Blob` that is larger goes in parts, as its page may be closed at any time. */
export const partBytesMin = 16 * mebibyte;
/** Limits of one upload. */
const partsMax = 10_000;
/** Parts under way at once: one connection seldom fills a line. */
const atOnce = 4;
/** An upload that breaks off after hours is sent again, too. */
export const uploadAttemptsMin = 4;
/** Joining many gigabytes may outlast a connection, or a restart of the service; a repeated request waits for the same joining. */
const completionAttemptsMin = 20;

/** Receives the bytes sent so far, and the total when known. */
export type BytesListener = (bytes: number, bytesTotal?: number) => void;

export interface TransferOptions {
  onBytes?: BytesListener | undefined;
  /** An abort rejects; nothing half-done stays on this computer. */
  signal?: AbortSignal | undefined;
}

export interface Range {
  start: number;
  /** The first byte behind it. */
  end: number;
}

/** Bytes that can be read more than once: of a local file, or a `Blob`. */
export interface Content {
  readonly size: number;
  /** Set if the bytes go in parts. */
  readonly isParted: boolean;
  /** Makes one attempt to PUT a range to a signed address. */
  put(url: string, range: Range, options: TransferOptions): Promise<Response>;
  /** Throws `FILE_CHANGED` when the bytes are no longer those of the beginning. */
  requireUnchanged(): Promise<void>;
}

/** State of an upload in parts, from which another process can resume it. */
export interface PartedUpload {
  /** Id of the file. */
  id: string;
  uploadId: string;
  /** Numbers of the parts that the service has. */
  parts: number[];
}

export interface PartsOptions extends TransferOptions {
  /** Receives the state of an upload in parts after each part, to be kept for `resume`. */
  onPart?: ((state: PartedUpload) => void) | undefined;
  /** Rules by which every step is tried again, such as those of a longer outage. */
  patience?: (RetryPolicy & Pick<RetryOptions, 'onPause'>) | undefined;
}

export interface UploadOptions extends PartsOptions {
  overwrite?: boolean;
  contentType?: string;
  ingest?: boolean;
  /** State of an interrupted upload of the same file. Parts that it names are not sent again. */
  resume?: PartedUpload | undefined;
}

/** PUTs all bytes to a signed address. Retried when the connection breaks or the service is away or busy: PUT may be repeated. */
export async function uploadWhole(
  url: string,
  content: Content,
  { patience, signal, onBytes }: PartsOptions,
): Promise<void> {
  const range = { start: 0, end: content.size };
  const attempt = () => content.put(url, range, { onBytes, signal });
  await retry(attempt, { attemptsMin: uploadAttemptsMin, ...patience, signal });
}

/** Sends the parts of an upload that was begun, and completes it. A part that breaks off is sent again. */
export async function uploadInParts(
  api: Api,
  upload: PartedUpload,
  content: Content,
  options: PartsOptions,
): Promise<void> {
  const { uploadId } = upload;
  await sendParts(api, upload, content, options);
  // Parts of two states of the file would be a third one that never was.
  await content.requireUnchanged();
  const { signal, patience } = options;
  const request = { params: { path: { id: uploadId } }, ...(signal && { signal }) };
  await retry(() => api.DELETE('/v1/uploads/{id}', request), {
    attemptsMin: completionAttemptsMin,
    ...patience,
    signal,
  });
}

/** Returns the size of all parts but the last: a whole number of MiB that limits their number. */
export function partBytesOf(size: number): number {
  return Math.max(partBytesMin, Math.ceil(size / partsMax / mebibyte) * mebibyte);
}

async function sendParts(
  api: Api,
  upload: PartedUpload,
  content: Content,
  { onBytes, onPart, patience, signal: outer }: PartsOptions,
): Promise<void> {
  const { size } = content;
  const partBytes = partBytesOf(size);
  const count = Math.max(1, Math.ceil(size / partBytes));
  const rangeOf = (number: number) => ({
    start: (number - 1) * partBytes,
    end: Math.min(size, number * partBytes),
  });
  const done = new Set(upload.parts);
  const sent = new Array<number>(count + 1).fill(0);
  let total = 0;
  for (const number of done) {
    const { start, end } = rangeOf(number);
    sent[number] = end - start;
    total += end - start;
  }
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(outer ? [outer] : [])]);
  let next = 1;
  const sendNext = async (): Promise<void> => {
    while (next <= count && !signal.aborted) {
      const number = next++;
      if (done.has(number)) continue;
      const range = rangeOf(number);
      const report = (bytes: number): void => {
        total += bytes - (sent[number] ?? 0);
        sent[number] = bytes;
        onBytes?.(total, size);
      };
      await sendPart(api, upload.uploadId, number, { content, range, onBytes: report, patience, signal });
      done.add(number);
      onPart?.({ ...upload, parts: [...done] });
    }
  };
  // The first failure ends the others too, and is the one thrown.
  const senders = Array.from({ length: Math.min(atOnce, count) }, () =>
    sendNext().catch((error: unknown) => stop.abort(error)),
  );
  await Promise.all(senders);
  signal.throwIfAborted();
}

interface Part extends Pick<PartsOptions, 'patience'> {
  content: Content;
  range: Range;
  onBytes: (bytes: number) => void;
  signal: AbortSignal;
}

async function sendPart(
  api: Api,
  id: string,
  number: number,
  { content, range, onBytes, patience, signal }: Part,
): Promise<void> {
  const size = range.end - range.start;
  await retry(
    async () => {
      onBytes(0);
      const params = { path: { id, number } };
      const { uploadUrl } = bodyOf(await api.GET('/v1/uploads/{id}/parts/{number}', { params, signal }));
      const taken = await content.put(uploadUrl, range, { onBytes, signal });
      await requireSize(taken, size);
    },
    // Each attempt gets a new signed address.
    {
      attemptsMin: uploadAttemptsMin,
      isPassing: (error) => isPassing(error) || hasExpired(error),
      ...patience,
      signal,
    },
  );
}

function hasExpired(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'URL_EXPIRED';
}

/** Requires that the service's digest equals that of the sent bytes. A store such as S3 returns none. */
async function requireSize(response: Response, size: number): Promise<void> {
  const text = await response.text();
  if (text === '') return;
  const { size: taken } = JSON.parse(text) as { size?: number };
  if (taken === undefined) throw foreign(response.status);
  if (taken === size) return;
  const message = `The service received ${taken} of the ${size} bytes of a part. Try again.`;
  throw new ClientError(message, { status: response.status, code: 'SIZE_MISMATCH' });
}
