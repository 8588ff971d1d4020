import { notFound, Problem, storageFull, storageUnavailable } from '../../../base/problem.ts';

/** A refusal of the store. Holds no address and no header, since both hold signatures. */
export class S3Error extends Error {
  override name = 'S3Error';
  readonly status: number;
  /** The store's code, such as `NoSuchKey`; '' when it gave none. */
  readonly code: string;

  constructor(operation: string, status: number, code: string) {
    super(`The store answered ${operation} with ${status} ${code}`.trim());
    this.status = status;
    this.code = code;
  }
}

/** A store that keeps a connection and does not answer. */
export class StoreHangs extends Error {
  override name = 'StoreHangs';

  constructor(operation: string) {
    super(`The store does not answer ${operation}.`);
  }
}

/** Returns an error of the SDK without the request, the response and the message, which may hold credentials. */
export function failureOf(operation: string, error: unknown): Error {
  if (!(error instanceof Error)) return new Error(`${operation} failed.`);
  const metadata: unknown = Reflect.get(error, '$metadata');
  const status = metadata instanceof Object ? Number(Reflect.get(metadata, 'httpStatusCode')) : 0;
  if (status >= 300) return new S3Error(operation, status, error.name);
  const code = String(Reflect.get(error, 'code') ?? error.name);
  return Object.assign(new Error(`${operation} failed: ${code}.`), { code });
}

/** Codes with which a store asks for another attempt, whatever the status. */
const passing = new Set([
  'InternalError',
  'OperationAborted',
  'RequestTimeTooSkewed',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  'ThrottlingException',
  'Throttling',
]);

/** Codes of bytes that were damaged on the way: sent again they may arrive whole. */
const damaged = new Set(['BadDigest', 'IncompleteBody', 'XAmzContentSHA256Mismatch']);

const full = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage', 'EntityQuotaExceeded']);

/** Reports whether the same request may succeed a moment later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof S3Error)) return !(error instanceof StoreHangs);
  if (isFull(error)) return false;
  return error.status >= 500 || error.status === 429 || passing.has(error.code) || damaged.has(error.code);
}

function isFull(error: S3Error): boolean {
  return error.status === 507 || full.has(error.code);
}

/** Returns a failure of the store as a Problem; its cause is for the log. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof S3Error && error.status === 404 && error.code !== 'NoSuchBucket') return notFound();
  if (error instanceof S3Error && isFull(error)) return storageFull(error);
  return storageUnavailable(error);
}
