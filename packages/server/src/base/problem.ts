/**
 * Errors of the service: one type. A `Problem` carries text for the caller; its `cause` is for the log only.
 * Format on the wire: docs/api/requests.md, "Errors".
 */

import type { ErrorCode } from './error-codes/index.ts';

/** Error in an input: its place (JSON path or parameter name) and description. */
export interface ProblemDetail {
  path: string;
  message: string;
}

interface ProblemOptions {
  details?: ProblemDetail[];
  /** Inner error: logged, never sent. */
  cause?: unknown;
  /** Seconds until a retry makes sense (429, 503). */
  retryAfterS?: number;
  /** Headers that the status requires (416: `Content-Range`). */
  headers?: Record<string, string>;
}

/** Expected failure: an HTTP status, a stable code and a sentence with the remedy. */
export class Problem extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: ProblemDetail[] | undefined;
  readonly retryAfterS: number | undefined;
  readonly headers: Record<string, string>;

  constructor(status: number, code: ErrorCode, message: string, options: ProblemOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.status = status;
    this.code = code;
    this.details = options.details;
    this.retryAfterS = options.retryAfterS;
    this.headers = options.headers ?? {};
  }
}

/** Returns the problem with a prefix that names its subject. */
export function withPrefix(prefix: string, problem: Problem): Problem {
  const { status, code, message, details, retryAfterS, headers } = problem;
  const more = { ...(details && { details }), ...(retryAfterS !== undefined && { retryAfterS }), headers };
  return new Problem(status, code, `${prefix}: ${message}`, { ...more, cause: problem });
}

/** Answers for everything that does not exist or is hidden from the caller: always the same bytes. */
export function notFound(): Problem {
  return new Problem(404, 'NOT_FOUND', 'There is nothing here, or nothing that you may see.');
}

/** Rejects a request without the account header where it is required. */
export function accountHeaderRequired(): Problem {
  return new Problem(400, 'ACCOUNT_HEADER_REQUIRED', 'Name the account in the Service-Account header.');
}

/** Reports all errors of an input at once. */
export function invalidInput(details: ProblemDetail[]): Problem {
  const first = details[0];
  const message = first
    ? `The input is not valid: ${first.path === 'body' ? 'the body' : first.path} ${first.message}.`
    : 'The input is not valid.';
  return new Problem(400, 'INVALID_INPUT', message, { details });
}

/** Rejects a request that the present state does not allow. */
export function conflict(code: ErrorCode, message: string): Problem {
  return new Problem(409, code, message);
}

/** Reports that the blob store cannot be reached: temporary, and no fault of the caller. */
export function storageUnavailable(cause: unknown): Problem {
  const message = 'The storage cannot be reached at present. Try again in a moment.';
  return new Problem(503, 'STORAGE_UNAVAILABLE', message, { cause, retryAfterS: 10 });
}

/** Reports overload: more work than the service can do now. */
export function overloaded(cause?: unknown): Problem {
  const message = 'The service has more to do than it can do at present. Try again in a moment.';
  return new Problem(503, 'OVERLOADED', message, { cause, retryAfterS: 1 });
}

/** Reports a full disk or quota, with the remedy. */
export function storageFull(cause: unknown): Problem {
  const message = 'The storage is full: free space or add some, then try again.';
  return new Problem(503, 'STORAGE_FULL', message, { cause, retryAfterS: 60 });
}

export function isStorageFull(error: unknown): error is Problem {
  return error instanceof Problem && error.code === 'STORAGE_FULL';
}

export function isStorageUnavailable(error: unknown): boolean {
  return error instanceof Problem && error.code === 'STORAGE_UNAVAILABLE';
}
