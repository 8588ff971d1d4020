import type { LookedUp } from '@ploidy/engine';

/** Rows of an answer, and what the client is to change in its session. */
export interface Answered extends LookedUp {
  updateType?: string;
  /** Headers without the prefix of the client: `Set-Schema`. */
  headers?: Record<string, string>;
}

/** Answer to a statement without rows: drivers want a column. */
export function done(updateType: string, headers: Record<string, string> = {}): Answered {
  return { columns: [{ name: 'result', type: 'BOOLEAN' }], lines: ['[true]'], updateType, headers };
}
