/** What the service answered instead of what was asked for (its error shape), or that it could not be reached. */
export class ClientError extends Error {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Stable code of the service, or `UNREACHABLE`. */
  readonly code: string;
  readonly requestId: string | undefined;
  readonly details: { path: string; message: string }[];

  constructor(
    message: string,
    fields: {
      status: number;
      code: string;
      requestId?: string | undefined;
      details?: { path: string; message: string }[] | undefined;
    },
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ClientError';
    this.status = fields.status;
    this.code = fields.code;
    this.requestId = fields.requestId;
    this.details = fields.details ?? [];
  }
}

/** Reads the error shape of the service out of an answer, whatever it holds. */
export async function errorFrom(response: Response): Promise<ClientError> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as Partial<Record<'error' | 'code' | 'requestId', string>>;
    if (typeof body.error === 'string' && typeof body.code === 'string') {
      const details = (body as { details?: { path: string; message: string }[] }).details;
      return new ClientError(body.error, {
        status: response.status,
        code: body.code,
        requestId: body.requestId,
        details,
      });
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return new ClientError(`The service answered ${response.status}.`, {
    status: response.status,
    code: 'HTTP',
  });
}

/** Turns "could not connect" of whatever transport into one error. */
export function unreachable(address: string, cause: unknown): ClientError {
  if (cause instanceof ClientError) return cause;
  const message = `Nothing answers at ${address}. Is the service running?`;
  return new ClientError(message, { status: 0, code: 'UNREACHABLE' }, cause);
}
