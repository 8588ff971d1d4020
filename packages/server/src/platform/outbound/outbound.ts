/** Requests that the service itself makes, to addresses that its users have entered. */
export interface Outbound {
  /** Gets a document. Throws `OutboundError` for everything that goes wrong. */
  get(url: string, limits: { bytesMax: number; timeoutMs: number }): Promise<Buffer>;
}

/** Why a document could not be had; the message may be shown to people. */
export class OutboundError extends Error {
  override name = 'OutboundError';
}
