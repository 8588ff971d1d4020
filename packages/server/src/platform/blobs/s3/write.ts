import { inParallel } from '../../concurrency/in-parallel.ts';
import { type Body, fileBody } from './body.ts';
import type { S3Client, S3Object } from './client.ts';
import { S3Error, StoreHangs } from './errors.ts';

const mebibyte = 1024 ** 2;
/** Larger objects are sent in parts. */
const partBytes = 16 * mebibyte;
/** S3: a part has at least 5 MiB, unless it is the last, and at most 5 GiB; an object at most 10,000 parts. */
export const partBytesMin = 5 * mebibyte;
const copyBytesMax = 1024 * mebibyte;
const partsMax = 10_000;
const partsAtOnce = 3;

/** Receives the id of a multipart upload before its first part is sent. */
export type Began = (uploadId: string) => Promise<void>;

interface WriteOptions {
  began: Began;
  signal?: AbortSignal | undefined;
}

/** Stores a local file as an object. A failure leaves none. */
export async function writeFile(
  client: S3Client,
  key: string,
  file: { path: string; size: number },
  options: WriteOptions,
): Promise<void> {
  const { path, size } = file;
  if (size <= partBytes) return client.put(key, await fileBody(path, 0, size), options.signal);
  await writeParts(client, key, filePieces(path, size), options);
}

/** Bytes `[start, end)` of an object as it is under this ETag. */
export interface Range {
  key: string;
  etag: string;
  start: number;
  end: number;
}

/** Source of one part. */
export type Piece = { body: () => Promise<Body> } | { from: Range };

/** Splits a local file into parts. */
function filePieces(path: string, size: number): Piece[] {
  return split(0, size, Math.max(partBytes, Math.ceil(size / partsMax))).map(({ start, end }) => ({
    body: () => fileBody(path, start, end),
  }));
}

/** Splits a range that is copied within the store into parts. */
export function copyPieces(range: Range): Piece[] {
  const { start, end } = range;
  return split(start, end, copyBytesMax).map((part) => ({ from: { ...range, ...part } }));
}

/** Copies an object as it was when it had this ETag; one that has changed is an `S3Error` 412. */
export async function copyObject(
  client: S3Client,
  key: string,
  from: Pick<S3Object, 'key' | 'size' | 'etag'>,
  began: Began,
): Promise<void> {
  if (from.size <= copyBytesMax) return client.copy(key, from);
  await writeParts(client, key, copyPieces({ ...from, start: 0, end: from.size }), { began });
}

/** Stores an object of several pieces. An upload that fails is aborted: its parts would be paid for without being seen. */
export async function writeParts(
  client: S3Client,
  key: string,
  pieces: Piece[],
  { began, signal }: WriteOptions,
): Promise<void> {
  const uploadId = await client.beginParts(key, signal);
  try {
    await began(uploadId);
    const etags: string[] = [];
    await inParallel(pieces, partsAtOnce, async (piece, index) => {
      etags[index] =
        'from' in piece
          ? await client.copyPart(key, uploadId, index + 1, piece.from)
          : await client.putPart(key, uploadId, index + 1, await piece.body(), signal);
    });
    await complete(client, key, uploadId, etags);
  } catch (error) {
    // If this fails too, or the store hangs, the sweep finds the upload.
    if (!(error instanceof StoreHangs)) await client.abortParts(key, uploadId).catch(() => undefined);
    throw error;
  }
}

/** Completes an upload. When the first answer was lost, the repeated request finds no upload, but the object is there. An empty answer proves nothing. */
async function complete(client: S3Client, key: string, uploadId: string, etags: string[]): Promise<void> {
  try {
    if (await client.completeParts(key, uploadId, etags)) return;
  } catch (error) {
    if (!(error instanceof S3Error && error.code === 'NoSuchUpload')) throw error;
  }
  await client.head(key);
}

/** Parts of about the same size, all large enough for S3. */
function split(start: number, end: number, bytesMax: number): { start: number; end: number }[] {
  const count = Math.ceil((end - start) / bytesMax);
  const bytes = Math.ceil((end - start) / count);
  return Array.from({ length: count }, (_, index) => ({
    start: start + index * bytes,
    end: Math.min(end, start + (index + 1) * bytes),
  }));
}
