import type { LookedUp, Segment } from '@ploidy/engine';
import { StatementFailed } from './failure.ts';

/** Rows of an answer, and what the client is to change in its session. */
export interface Answered extends LookedUp {
  updateType?: string;
  /** Places of the rows in a packed file, in place of lines. */
  segments?: Segment[];
  /** Headers without the prefix of the client: `Set-Schema`. */
  headers?: Record<string, string>;
}

/** Longest header that clients take: together they may have 16 KiB, here and in most drivers. */
const headerMax = 12 * 1024;

/** Answer to a statement without rows: drivers want a column. */
export function done(updateType: string, headers: Record<string, string> = {}): Answered {
  if (Object.values(headers).some((value) => value.length > headerMax))
    throw new StatementFailed(
      'NOT_SUPPORTED',
      'This is too long for the session of a client, which travels in headers. Use EXECUTE IMMEDIATE.',
    );
  return { columns: [{ name: 'result', type: 'BOOLEAN' }], lines: ['[true]'], updateType, headers };
}
