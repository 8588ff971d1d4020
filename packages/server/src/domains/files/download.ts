import { isKnown } from '../../api/conditions.ts';
import { Answer, anyType, bodyFor } from '../../api/route.ts';
import { Problem, storageUnavailable } from '../../base/problem.ts';
import type { Blobs, ByteRange } from '../../platform/blobs/blobs.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import { requireBytes, stateOf } from './file.ts';

/** Request headers that `download` evaluates. */
export const downloadHeaders = [
  'Range',
  'If-Range',
  'If-Match',
  'If-Unmodified-Since',
  'If-None-Match',
  'If-Modified-Since',
] as const;

/** Responses of a download besides 200. */
export const downloadAnswers = {
  206: { description: 'A range of the bytes', contentType: anyType, etag: true },
  304: { description: 'The reader has these bytes', etag: true },
};

/** Properties of a request that decide which bytes are sent. */
interface DownloadRequest {
  method: string;
  headers: Record<string, string | string[] | undefined>;
}

/**
 * Answers a file's bytes: whole, a range (206), or none if the client has them (304). Problem 412 if the
 * client requires other bytes (order of RFC 9110 §13.2.2). Always an attachment, never a page of this origin.
 * `find` reads the file again if an overwrite removed its bytes before they were opened.
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
    // The record exists without its bytes: a 404 would claim that the file was deleted.
    if (present.blob_key === file.blob_key) throw storageUnavailable(error);
    return download(blobs, present, request, find);
  }
}

/** The response consumes each chunk at once. */
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
 * Parses the range (RFC 9110 §14): one range, of GET only (§14.2). Several ranges, other units or a stale
 * `If-Range` get the whole file. Units are case-insensitive (§14.1). Positions beyond 2^53 are inexact and
 * out of range anyway.
 */
function wantedRange(request: DownloadRequest, etag: string, file: FilesTable): ByteRange | undefined {
  if (request.method !== 'GET') return undefined;
  const condition = one(request.headers['if-range']);
  if (condition !== undefined && condition !== etag) return undefined;
  return requestedRange(request.headers['range'], file.size);
}

/** Parses one range of a file of this size; undefined for the whole. Problem 416 for a range outside. */
export function requestedRange(header: string | string[] | undefined, size: number): ByteRange | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(one(header) ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1);
  if (start >= end) {
    const message = `The file has ${size} bytes; the range is outside them.`;
    throw new Problem(416, 'RANGE_NOT_SATISFIABLE', message, {
      headers: { 'content-range': `bytes */${size}` },
    });
  }
  return { start, end };
}

/** Characters that are invisible or reverse the writing, so that `exe` can look like the beginning of `gnp.exe` (UTS #39). */
const disguises = /[\p{Bidi_Control}\u200b\u2060\ufeff]|^\s+|(?<!\s)\s+$/gu;

/** RFC 6266: always an attachment, under its base name, in ASCII and in UTF-8. */
export function disposition(name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1).replace(disguises, '');
  const plain = base.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(base).replace(
    /['()*!]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
