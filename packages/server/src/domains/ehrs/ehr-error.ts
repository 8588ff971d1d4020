/** Why nothing can be had from an EHR system. The message may be shown to people: nothing that the system sent is in it. */
export class EhrError extends Error {
  override name = 'EhrError';
  readonly code: string;
  /** Whether it may go better in a moment. */
  readonly isPassing: boolean;
  /** What the system said how long to wait, in milliseconds. */
  readonly waitMs: number | undefined;
  /** The status of its answer, when it is about one. */
  readonly status: number | undefined;

  constructor(
    code: string,
    message: string,
    more: { cause?: unknown; isPassing?: boolean; waitMs?: number | undefined; status?: number } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.isPassing = more.isPassing ?? false;
    this.waitMs = more.waitMs;
    this.status = more.status;
  }
}

/** What the system can do, or will not let us do, that it does by other means: statuses of a refused search or export. */
const refusals = new Set([400, 403, 404, 405, 406, 409, 410, 412, 422, 501]);

export function isRefusal(error: unknown): error is EhrError {
  return error instanceof EhrError && error.status !== undefined && refusals.has(error.status);
}
