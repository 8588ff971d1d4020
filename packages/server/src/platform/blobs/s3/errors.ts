import { notFound, Problem, storageFull, storageUnavailable } from '../../../problem.ts';
import { textOf } from './xml.ts';

/** What the store answered instead of doing what it was asked. Holds no address, since addresses hold signatures. */
export class S3Error extends Error {
  override name = 'S3Error';
  readonly status: number;
  /** The store's own word, such as `NoSuchKey`; '' when it said none. */
  readonly code: string;

  constructor(operation: string, status: number, body: string) {
    const code = textOf(body, 'Code') ?? '';
    super(`The store answered ${operation} with ${status} ${code}`.trim());
    this.status = status;
    this.code = code;
  }
}

/** Codes with which a store asks for another try, whatever the status. */
const passing = new Set([
  'InternalError',
  'OperationAborted',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  'ThrottlingException',
  'Throttling',
]);

/** Bytes that were damaged on the way: sent again they may arrive. */
const damaged = new Set(['BadDigest', 'IncompleteBody', 'XAmzContentSHA256Mismatch']);

const full = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage', 'EntityQuotaExceeded']);

/** Whether the same request may succeed a moment later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof S3Error)) return true;
  if (isFull(error)) return false;
  return error.status >= 500 || error.status === 429 || passing.has(error.code) || damaged.has(error.code);
}

function isFull(error: S3Error): boolean {
  return error.status === 507 || full.has(error.code);
}

/** A failure of the store in words for people; what it said is the cause, for the log. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof S3Error && error.status === 404 && error.code !== 'NoSuchBucket') return notFound();
  if (error instanceof S3Error && isFull(error)) return storageFull(error);
  return storageUnavailable(error);
}
