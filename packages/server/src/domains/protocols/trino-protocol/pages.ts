import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Caller } from '../../../access/caller.ts';
import { Problem } from '../../../base/problem.ts';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import type { TrinoStatementsTable } from '../../../platform/records/schema-lake.ts';
import type { Answered } from './answered.ts';
import { errorOf, type Failure } from './failure.ts';
import type { SegmentUrls } from './segments.ts';
import type { Warning } from './session.ts';
import { trinoColumn } from './types.ts';

/** Bytes of rows in a page; Trino's own are up to 16 MiB. */
const pageBytes = 4 * 1024 * 1024;
/** Longest row. */
const rowBytesMax = 64 * 1024 * 1024;

/** Addresses as the client sees the service. */
export interface Addresses {
  infoOf(id: string): string;
  pageOf(id: string, token: number): string;
}

/** Page of an answer: the bytes of a JSON object, and headers for the client's session. */
export interface Page {
  body: Buffer;
  headers: Record<string, string>;
}

/** Describes a statement that was just sent; its answer or failure is on the page that follows. */
export function firstPage(row: TrinoStatementsTable, addresses: Addresses, warnings: Warning[]): Page {
  const { id } = row;
  const stats = { ...statsOf(row), state: 'QUEUED' };
  const about = { id, infoUri: addresses.infoOf(id), nextUri: addresses.pageOf(id, 0), stats, warnings };
  return { body: Buffer.from(JSON.stringify(about)), headers: {} };
}

interface PageDeps {
  blobs: Blobs;
  addresses: Addresses;
  /** Beginning of the names of headers. */
  prefix: string;
  isWaiting: boolean;
  caller: Caller;
  segmentUrls: SegmentUrls;
}

/** Reads the page of a result that begins at an offset in its lines, or at a segment. A repeated question gets the same page. */
export async function pageOf(
  row: TrinoStatementsTable,
  token: number,
  { blobs, addresses, prefix, isWaiting, caller, segmentUrls }: PageDeps,
): Promise<Page> {
  const { id } = row;
  const about = { id, infoUri: addresses.infoOf(id) };
  if (row.state === 'running')
    return page({
      ...about,
      nextUri: addresses.pageOf(id, token),
      stats: statsOf(row, isWaiting),
      warnings: [],
    });
  if (row.error !== null) {
    const error = errorOf(JSON.parse(row.error) as Failure);
    return page({ ...about, stats: statsOf(row), error, warnings: [] });
  }
  const {
    columns,
    lines = [],
    segments,
    updateType,
    headers = {},
  } = JSON.parse(row.answer ?? '{}') as Answered;
  if (segments) {
    const { data, end } = segmentUrls.page(id, segments, token, caller);
    const hasMore = end < segments.length;
    return page({
      ...about,
      ...(hasMore && { nextUri: addresses.pageOf(id, end) }),
      ...{ columns: columns.map(trinoColumn), data, warnings: [] },
      stats: { ...statsOf(row), ...(hasMore && { state: 'RUNNING' }) },
    });
  }
  const size = row.size ?? 0;
  const bytes =
    row.blob_key === null ? Buffer.from(lines.join('\n')) : await linesAt(blobs, row.blob_key, token, size);
  const next = token + bytes.length;
  const hasMore = row.blob_key !== null && next < size;
  const head = {
    ...about,
    ...(hasMore && { nextUri: addresses.pageOf(id, next) }),
    columns: columns.map(trinoColumn),
    ...{ stats: { ...statsOf(row), ...(hasMore && { state: 'RUNNING' }) }, warnings: [] },
    ...(updateType !== undefined && { updateType }),
  };
  const named = Object.entries(headers).map(([name, value]) => [`${prefix}-${name}`, value]);
  return page(head, bytes, Object.fromEntries(named));
}

function page(head: object, lines: Buffer = Buffer.alloc(0), headers: Record<string, string> = {}): Page {
  const text = JSON.stringify(head);
  if (lines.length === 0) return { body: Buffer.from(text), headers };
  const rows = lines.at(-1) === 10 ? lines.subarray(0, -1) : lines;
  // JSON escapes the ends of lines within texts.
  for (let at = rows.indexOf(10); at >= 0; at = rows.indexOf(10, at + 1)) rows[at] = 44;
  return {
    body: Buffer.concat([Buffer.from(`${text.slice(0, -1)},"data":[`), rows, Buffer.from(']}')]),
    headers,
  };
}

/** Reads whole lines from an offset on. */
async function linesAt(blobs: Blobs, key: string, start: number, size: number): Promise<Buffer> {
  if (start >= size) return Buffer.alloc(0);
  for (let length = pageBytes; length <= rowBytesMax; length *= 4) {
    const end = Math.min(size, start + length);
    const bytes = await buffer(await blobs.open(key, { start, end }));
    const last = end === size ? bytes.length : bytes.lastIndexOf(10) + 1;
    if (last > 0) return bytes.subarray(0, last);
  }
  throw new Problem(
    422,
    'QUERY_RESULT_SIZE',
    'A row of the result is larger than 64 MiB. Ask for fewer columns.',
  );
}

const states = { running: 'RUNNING', succeeded: 'FINISHED', failed: 'FAILED', cancelled: 'FAILED' } as const;

/** Returns the figures of a statement. Clients read all of them. */
function statsOf(row: TrinoStatementsTable, isWaiting = false) {
  const now = row.ended_at ?? Date.now();
  const isQueued = row.state === 'running' && (isWaiting || row.started_at === null);
  const splits = row.state === 'running' ? 0 : 1;
  return {
    ...{ state: isQueued ? 'QUEUED' : states[row.state], queued: isQueued, scheduled: !isQueued },
    progressPercentage: row.state === 'succeeded' ? 100 : row.progress * 100,
    runningPercentage: row.state === 'running' && !isQueued ? 100 : 0,
    ...{ nodes: 1, totalSplits: 1, queuedSplits: isQueued ? 1 : 0 },
    ...{ runningSplits: isQueued ? 0 : 1 - splits, completedSplits: splits },
    ...{ cpuTimeMillis: 0, wallTimeMillis: now - (row.started_at ?? now) },
    ...{
      queuedTimeMillis: (row.started_at ?? now) - row.created_at,
      elapsedTimeMillis: now - row.created_at,
    },
    ...{ planningTimeMillis: 0, analysisTimeMillis: 0, finishingTimeMillis: 0, physicalInputTimeMillis: 0 },
    ...{ processedRows: row.row_count ?? 0, processedBytes: row.size ?? 0, physicalInputBytes: 0 },
    ...{ physicalWrittenBytes: 0, internalNetworkInputBytes: 0, peakMemoryBytes: 0, spilledBytes: 0 },
  };
}

/** Describes a statement as `GET /v1/query/{id}` does. */
export function queryInfoOf(row: TrinoStatementsTable, addresses: Addresses, isWaiting: boolean): object {
  const stats = statsOf(row, isWaiting);
  const failure = row.error === null ? undefined : (JSON.parse(row.error) as Failure);
  const { errorCode, errorName, errorType } = (failure ? errorOf(failure) : {}) as Record<string, unknown>;
  return {
    ...{ queryId: row.id, state: stats.state, query: row.query_text, self: addresses.infoOf(row.id) },
    ...{ session: { queryId: row.id, user: row.user_id, principal: row.user_id, catalog: 'ploidy' } },
    ...{ scheduled: stats.scheduled, finalQueryInfo: row.state !== 'running', queryStats: stats },
    ...(failure && { errorCode: { code: errorCode, name: errorName, type: errorType }, errorType }),
  };
}

const gzipped = promisify(gzip);

/** Bytes from which a page is compressed: a smaller one takes as long to compress as to send. */
const compressedFrom = 64 * 1024;

/** Compresses a large page in zlib's threads, for a client that accepts gzip. All drivers do. */
export async function compressed(page: Page, headers: IncomingHttpHeaders): Promise<Page> {
  const vary = { ...page.headers, vary: 'Accept-Encoding' };
  if (page.body.length < compressedFrom || !takesGzip(headers)) return { ...page, headers: vary };
  const body = await gzipped(page.body, { level: constants.Z_BEST_SPEED });
  return { body, headers: { ...vary, 'content-encoding': 'gzip' } };
}

/** Reports whether a client accepts gzip (RFC 9110, §12.5.3). */
export function takesGzip({ 'accept-encoding': accepted = '' }: IncomingHttpHeaders): boolean {
  return String(accepted)
    .split(',')
    .some((coding) => /^\s*(?:x-)?gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)[\d.]+\s*)?$/i.test(coding));
}
