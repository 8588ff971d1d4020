interface Fields {
  status: number;
  code: string;
  remedy?: string | undefined;
  requestId?: string | undefined;
  details?: { path: string; message: string }[] | undefined;
  retryAfterMs?: number | undefined;
}

/** Error answer of the service, or failure to reach it. */
export class ClientError extends Error {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /**
   * Stable code of the service; of the client: `UNREACHABLE`, `UNTRUSTED`, `INVALID_ADDRESS`, `FOREIGN_ANSWER`, `FILE_CHANGED`,
   * `NO_FILES`.
   */
  readonly code: string;
  /** Advice that is not part of the message. */
  readonly remedy: string | undefined;
  readonly requestId: string | undefined;
  readonly details: { path: string; message: string }[];
  /** Delay that the service requests, in seconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, fields: Fields, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ClientError';
    this.status = fields.status;
    this.code = fields.code;
    this.remedy = fields.remedy;
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
    const found = ofStandard(body);
    if (found) return new ClientError(found.message, { status, code: found.code });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return foreign(status);
}

/** Errors of standards that the service follows: htsget, GA4GH DRS, OAuth 2.0 (RFC 6749 §5.2) and FHIR. */
interface StandardError {
  htsget?: { error?: unknown; message?: unknown };
  msg?: unknown;
  error?: unknown;
  error_description?: unknown;
  issue?: { code?: unknown; diagnostics?: unknown }[];
}

function ofStandard(body: StandardError | null): { message: string; code: string } | undefined {
  const [issue] = Array.isArray(body?.issue) ? body.issue : [];
  const pairs = [
    [body?.htsget?.message, body?.htsget?.error],
    [body?.error_description, body?.error],
    [issue?.diagnostics, issue?.code],
    [body?.msg, 'DRS_ERROR'],
  ];
  const [message, code] = pairs.find(([text]) => typeof text === 'string') ?? [];
  return typeof message === 'string' && typeof code === 'string' ? { message, code } : undefined;
}

/** `Retry-After` in seconds, as the service sends it. */
function retryAfterMsOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return seconds >= 0 ? seconds * 1000 : undefined;
}

/** Proxies answer by themselves with these; the remedy is at the proxy. */
const proxyAnswers: Readonly<Record<number, [meaning: string, remedy: string]>> = {
  413: [
    'A proxy in front of the service refuses a body of this size (status 413)',
    'Remove its size limit, as the examples in deploy/proxy do (nginx: client_max_body_size 0).',
  ],
  502: [
    'A proxy answers, and the service behind it does not (status 502)',
    'Check that the service runs, and the address that the proxy has of it.',
  ],
  504: [
    'A proxy answers, and the service behind it took longer than the proxy waits (status 504)',
    'Raise its read timeout, as the examples in deploy/proxy do (nginx: proxy_read_timeout).',
  ],
};

/** Creates the error of an answer that is not of this API: of another program, or of a proxy. */
export function foreign(status: number): ClientError {
  const [meaning, remedy] = proxyAnswers[status] ?? [
    `The server at this address is not Ploidy (status ${status})`,
    'Check the address.',
  ];
  return new ClientError(`${meaning}.`, { status, code: 'FOREIGN_ANSWER', remedy });
}

/** Creates the error of JSON that differs from the API document. `called` is a method with an address. */
export function otherShape(called: string, fault: string, status: number): ClientError {
  return new ClientError(`The answer to ${called} is not one of this API: ${fault}.`, {
    status,
    code: 'FOREIGN_ANSWER',
    remedy: 'Check the address, and that this program and the service are of one version.',
  });
}

/** Codes of Node and OpenSSL for a certificate that was refused. */
const certificateCode = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ISSUER/;

/** Turns a failure to connect, of whatever transport, into one error. */
export function unreachable(address: string, cause: unknown): ClientError {
  if (cause instanceof ClientError) return cause;
  const code = codeOf(cause);
  if (code !== undefined && certificateCode.test(code)) {
    const message = `The certificate of ${address} is not trusted (${code}).`;
    const remedy =
      'Set NODE_EXTRA_CA_CERTS to a file with the certificate of your certification authority (PEM).';
    return new ClientError(message, { status: 0, code: 'UNTRUSTED', remedy }, cause);
  }
  const fields = { status: 0, code: 'UNREACHABLE', remedy: 'Check that the service runs, and the address.' };
  return new ClientError(`Nothing answers at ${address}.`, fields, cause);
}

/** Finds the code of an error or of its causes. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : codeOf(error.cause);
}
