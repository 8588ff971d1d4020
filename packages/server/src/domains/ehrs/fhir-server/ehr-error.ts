/** Failure of an EHR system. The message may be shown to users: it contains nothing that the system sent. */
export class EhrError extends Error {
  override name = 'EhrError';
  readonly code: string;
  /** True if a retry may succeed. */
  readonly isPassing: boolean;
  /** Wait requested by the system, in milliseconds. */
  readonly waitMs: number | undefined;
  /** Status of the response, if any. */
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

/** Statuses of refused searches or exports, for which a sync tries other means. */
const refusals = new Set([400, 403, 404, 405, 406, 409, 410, 412, 422, 501]);

export function isRefusal(error: unknown): error is EhrError {
  return error instanceof EhrError && error.status !== undefined && refusals.has(error.status);
}

const codes = new Set(['EXPORT_UNUSABLE', 'ELSEWHERE', 'UNUSABLE', 'REDIRECTED']);

/** Reports whether a search may succeed where the export failed. */
export function isExportFailure(error: unknown): error is EhrError {
  if (!(error instanceof EhrError)) return false;
  const { status, code } = error;
  // Systems report a failed export with 500 (Bulk Data Access, "Response - Error Status").
  return status === 500 || codes.has(code) || isRefusal(error);
}

/** Describes a failed export in a sentence for users. */
export function exportFailureMessage({ code, message, status }: EhrError): string {
  if (code === 'EXPORT_UNUSABLE' || code === 'UNUSABLE') return message;
  const where =
    code === 'REDIRECTED' ? 'it redirects, which is not followed' : 'its files are where no key is sent';
  const reason = status === undefined ? where : `status ${status}`;
  return `The EHR system offers a bulk export, but it failed (${reason}).`;
}
