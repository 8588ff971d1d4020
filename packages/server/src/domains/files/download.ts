import { isKnown } from '../../conditions.ts';
import type { Blobs, ByteRange } from '../../platform/blobs/blobs.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import { Problem, storageUnavailable } from '../../problem.ts';
import { Answer, anyType, bodyFor } from '../../route.ts';
import { requireBytes, stateOf } from './file.ts';

/** Headers of a request that `download` looks at. */
export const downloadHeaders = [
  'Range',
  'If-Range',
  'If-Match',
  'If-Unmodified-Since',
  'If-None-Match',
  'If-Modified-Since',
] as const;

/** What it may answer besides 200. */
export const downloadAnswers = {
  206: { description: 'A range of the bytes', contentType: anyType, etag: true },
  304: { description: 'The reader has these bytes', etag: true },
};

/** What of a request decides which bytes are sent. */
export interface DownloadRequest {
  method: string;
  headers: Record<string, string | string[] | undefined>;
}

/**
 * The bytes of a file: whole, a range (206), or none when the reader has them already (304). Problem 412 when he wants other
 * ones (RFC 9110, §13.2.2 has the order). Never as a page of ours. `find` finds the file anew when an overwrite has removed its bytes between the look and the opening.
 */
export async function download(
  blobs: Blobs,
  file: FilesTable,
  request: DownloadRequest,
  find: (id: string) => Promise<FilesTable | undefined>,
): Promise<Answer> {
  try {
    return await answerWith(blobs, file, request);
  } catch (error) {
    if (!(error instanceof Problem && error.status === 404)) throw error;
    const present = await find(file.id);
    if (!present) throw error;
    // The file is there, and its bytes are not: who is told 404 would take it for deleted.
    if (present.blob_key === file.blob_key) throw storageUnavailable(error);
    return download(blobs, present, request, find);
  }
}

/** The response takes each chunk as it comes. */
const passedOn = { passedOn: true };

async function answerWith(blobs: Blobs, file: FilesTable, request: DownloadRequest): Promise<Answer> {
  requireBytes(request.headers, file, true);
  const state = stateOf(file);
  const { etag } = state;
  const headers: Record<string, string> = {
    etag,
    'last-modified': new Date(file.modified_at).toUTCString(),
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-type': file.content_type,
    'content-disposition': disposition(file.name),
    'content-security-policy': "sandbox; default-src 'none'",
  };
  if (isKnown(request.headers, state)) return new Answer(304, undefined, headers);
  const range = wantedRange(request, etag, file);
  if (range === undefined) {
    const body = await bodyFor(request.method, () => blobs.open(file.blob_key, undefined, passedOn));
    return new Answer(200, body, { ...headers, 'content-length': String(file.size) });
  }
  return new Answer(206, await blobs.open(file.blob_key, range, passedOn), {
    ...headers,
    'content-length': String(range.end - range.start),
    'content-range': `bytes ${range.start}-${range.end - 1}/${file.size}`,
  });
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * RFC 9110 §14: one range, of GET alone (§14.2); several, other units or a stale `If-Range` get the whole file. Units have no case (§14.1), and places no
 * bound: beyond 2^53 they are not exact, and outside all the same.
 */
function wantedRange(request: DownloadRequest, etag: string, file: FilesTable): ByteRange | undefined {
  if (request.method !== 'GET') return undefined;
  const condition = one(request.headers['if-range']);
  if (condition !== undefined && condition !== etag) return undefined;
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(one(request.headers['range']) ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  const start = from === '' ? Math.max(0, file.size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? file.size : Math.min(file.size, Number(to) + 1);
  if (start >= end) {
    const message = `The file has ${file.size} bytes; the range lies outside.`;
    throw new Problem(416, 'RANGE_NOT_SATISFIABLE', message, {
      headers: { 'content-range': `bytes */${file.size}` },
    });
  }
  return { start, end };
}

/** RFC 6266: always an attachment, under its base name, in ASCII and in UTF-8. */
export function disposition(name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const plain = base.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(base).replace(
    /['()*!]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
