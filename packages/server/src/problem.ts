/**
 * The one error type of the service. A `Problem` carries what a person may read; its `cause` is for the log only.
 * Shape on the wire: docs/clarifications.md, "Errors".
 */

/** One mistake in an input: where it is (JSON path or parameter name) and what is wrong with it. */
export interface ProblemDetail {
  path: string;
  message: string;
}

export interface ProblemOptions {
  details?: ProblemDetail[];
  /** The inner error. Logged, never sent. */
  cause?: unknown;
  /** Seconds after which a retry makes sense (429, 503). */
  retryAfterS?: number;
  /** Headers that the status asks for (416: `Content-Range`). */
  headers?: Record<string, string>;
}

/** An expected failure: an HTTP status, a stable code and one sentence that says what to do. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: ProblemDetail[] | undefined;
  readonly retryAfterS: number | undefined;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, options: ProblemOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.status = status;
    this.code = code;
    this.details = options.details;
    this.retryAfterS = options.retryAfterS;
    this.headers = options.headers ?? {};
  }
}

/** The same problem, where it has to be said first what it is about. */
export function withBeginning(beginning: string, problem: Problem): Problem {
  const { status, code, message, details, retryAfterS, headers } = problem;
  const more = { ...(details && { details }), ...(retryAfterS !== undefined && { retryAfterS }), headers };
  return new Problem(status, code, `${beginning}: ${message}`, { ...more, cause: problem });
}

/** The answer to everything that does not exist or that the caller may not know of: always the same bytes. */
export function notFound(): Problem {
  return new Problem(404, 'NOT_FOUND', 'There is nothing here, or nothing that you may see.');
}

/** The account header is missing where it is needed. */
export function accountHeaderRequired(): Problem {
  return new Problem(400, 'ACCOUNT_HEADER_REQUIRED', 'Name the account in the Service-Account header.');
}

/** Invalid input, all mistakes at once. */
export function invalidInput(details: ProblemDetail[]): Problem {
  const first = details[0];
  const message = first
    ? `The input is not valid: ${first.path === 'body' ? 'the body' : first.path} ${first.message}.`
    : 'The input is not valid.';
  return new Problem(400, 'INVALID_INPUT', message, { details });
}

/** The present state does not allow it. */
export function conflict(code: string, message: string): Problem {
  return new Problem(409, code, message);
}

/** The store of the bytes cannot be reached; it is nobody's fault here and passes. */
export function storageUnavailable(cause: unknown): Problem {
  const message = 'The storage cannot be reached at present. Try again in a moment.';
  return new Problem(503, 'STORAGE_UNAVAILABLE', message, { cause, retryAfterS: 10 });
}

/** More is asked than can be done now; it passes. */
export function overloaded(cause?: unknown): Problem {
  const message = 'The service has more to do than it can do at present. Try again in a moment.';
  return new Problem(503, 'OVERLOADED', message, { cause, retryAfterS: 1 });
}

/** A full disk or quota is a state of the service, and what to do about it is known. */
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
