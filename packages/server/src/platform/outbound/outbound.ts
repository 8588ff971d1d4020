/** Requests that the service itself makes, to addresses that its users have entered. */
export interface Outbound {
  /**
   * Explains why an entered address is refused: a literal address of a private network or of this computer,
   * unless allowed. Names are resolved with each request only. The URL must be valid.
   */
  faultIn(url: string): string | undefined;
  /** Gets a document. Throws `OutboundError` for everything that goes wrong, and for every answer but 200. */
  get(url: string, limits: { bytesMax: number; timeoutMs: number }): Promise<Buffer>;
  /**
   * Sends a request and lets `read` read the answer, whatever its status; the connection ends with it. Throws `OutboundError`
   * for what goes wrong on the way, also in the middle of the body, and what `read` throws.
   */
  exchange<T>(request: OutboundRequest, read: (answer: OutboundAnswer) => Promise<T>): Promise<T>;
}

export interface OutboundRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  /** Maximum time for all of it, to the end of the body. */
  timeoutMs: number;
  /** Maximum time without received bytes. */
  idleMs: number;
  bytesMax: number;
  signal?: AbortSignal;
}

export interface OutboundAnswer {
  status: number;
  /** Lower-case names. */
  headers: Readonly<Record<string, string | undefined>>;
  /** Not compressed; read once. Ends with an error when it breaks off, is too large, or takes too long. */
  body: AsyncIterable<Buffer>;
}

/** Reason for a missing or useless answer; the message may be shown to people. */
export class OutboundError extends Error {
  override name = 'OutboundError';
  /** Reports whether a retry may succeed: the peer was unreachable, or closed the connection. */
  readonly isPassing: boolean;

  constructor(message: string, options: { cause?: unknown; isPassing?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.isPassing = options.isPassing ?? false;
  }
}
