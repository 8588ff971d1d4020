import type { Reader } from '../../platform/records/records.ts';
import { chainStart, eventHash } from './chain.ts';

export interface ChainReport {
  account: string;
  events: number;
  /** The first event that does not follow from its predecessor, or undefined when the chain is whole. */
  brokenAt?: number;
}

const pageRows = 1000;

/** Walks the chain of an account from its first event and compares it with the head. */
export async function verifyChain(read: Reader, account: string): Promise<ChainReport> {
  let previous = chainStart;
  let sequence = 0;
  for (;;) {
    const rows = await read
      .selectFrom('audit_events')
      .selectAll()
      .where('account_id', '=', account)
      .where('sequence', '>', sequence)
      .orderBy('sequence')
      .limit(pageRows)
      .execute();
    for (const { hash, ...row } of rows) {
      const follows = row.sequence === sequence + 1 && row.previous_hash === previous;
      if (!follows || eventHash(row) !== hash) return { account, events: sequence, brokenAt: sequence + 1 };
      previous = hash;
      sequence = row.sequence;
    }
    if (rows.length < pageRows) break;
  }
  const head = await read
    .selectFrom('audit_heads')
    .selectAll()
    .where('account_id', '=', account)
    .executeTakeFirst();
  const whole = (head?.sequence ?? 0) === sequence && (head?.hash ?? chainStart) === previous;
  return whole ? { account, events: sequence } : { account, events: sequence, brokenAt: sequence + 1 };
}
