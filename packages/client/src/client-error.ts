interface Fields {
  status: number;
  code: string;
  requestId?: string | undefined;
  details?: { path: string; message: string }[] | undefined;
  retryAfterMs?: number | undefined;
}

/** What the service answered instead of what was asked for (its error shape), or that it could not be reached. */
export class ClientError extends Error {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Stable code of the service; of our own: `UNREACHABLE`, `INVALID_ADDRESS`, `FOREIGN_ANSWER`, `FILE_CHANGED`. */
  readonly code: string;
  readonly requestId: string | undefined;
  readonly details: { path: string; message: string }[];
  /** How long the service asks to be left in peace. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, fields: Fields, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ClientError';
    this.status = fields.status;
    this.code = fields.code;
    this.requestId = fields.requestId;
    this.details = fields.details ?? [];
    this.retryAfterMs = fields.retryAfterMs;
  }
}

/** Reads the error shape of the service out of an answer, whatever it holds. */
export async function errorFrom(response: Response): Promise<ClientError> {
  const { status } = response;
  const text = await response.text();
  try {
    const body = JSON.parse(text) as Partial<Fields & { error: string }> | null;
    if (typeof body?.error === 'string' && typeof body.code === 'string') {
      const { error, code, requestId, details } = body;
      const retryAfterMs = retryAfterMsOf(response);
      return new ClientError(error, { status, code, requestId, details, retryAfterMs });
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return foreign(status);
}

/** `Retry-After` in seconds, as the service sends it. */
function retryAfterMsOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return seconds >= 0 ? seconds * 1000 : undefined;
}

/** Something answers at the address, but not as Ploidy does: another program, or a proxy before it. */
export function foreign(status: number): ClientError {
  const message = `What answers there (status ${status}) is not Ploidy. Is the address right?`;
  return new ClientError(message, { status, code: 'FOREIGN_ANSWER' });
}

/** Turns "could not connect" of whatever transport into one error. */
export function unreachable(address: string, cause: unknown): ClientError {
  if (cause instanceof ClientError) return cause;
  const message = `Nothing answers at ${address}. Is the service running?`;
  return new ClientError(message, { status: 0, code: 'UNREACHABLE' }, cause);
}
