import type { Reader } from '../../platform/records/records.ts';
import type { AuditEventsTable } from '../../platform/records/schema.ts';
import { chainStart, eventHash } from './chain.ts';

export interface ChainReport {
  account: string;
  events: number;
  /** The first event that does not follow from its predecessor, or is missing; undefined when the chain is whole. */
  brokenAt?: number;
}

const pageRows = 1000;

/**
 * Walks the chain of an account from its first event and compares it with the head. The service may go on meanwhile: what it
 * appends is walked too. `exists`: the account is there, so that it has at least the event of its making.
 */
export async function verifyChain(read: Reader, account: string, exists = false): Promise<ChainReport> {
  let previous = chainStart;
  let sequence = 0;
  for (;;) {
    const before = sequence;
    for (;;) {
      const rows = await eventsAfter(read, account, sequence);
      for (const { hash, ...row } of rows) {
        const follows = row.sequence === sequence + 1 && row.previous_hash === previous;
        if (!follows || eventHash(row) !== hash) return { account, events: sequence, brokenAt: sequence + 1 };
        previous = hash;
        sequence = row.sequence;
      }
      if (rows.length < pageRows) break;
    }
    const head = await headOf(read, account);
    const grown = head.sequence > sequence && sequence > before;
    if (grown) continue;
    const whole = head.sequence === sequence && head.hash === previous && (sequence > 0 || !exists);
    if (whole) return { account, events: sequence };
    // A head that is behind is wrong from the event after it; one that is ahead tells of events that are gone.
    return { account, events: sequence, brokenAt: Math.min(sequence, head.sequence) + 1 };
  }
}

/** The chains of all accounts: those that exist, and those of which only events or a head are left. */
export async function verifyChains(read: Reader): Promise<ChainReport[]> {
  const existing = await read.selectFrom('accounts').select('id').execute();
  const heads = await read.selectFrom('audit_heads').select('account_id as id').execute();
  const told = await read.selectFrom('audit_events').select('account_id as id').distinct().execute();
  const exists = new Set(existing.map(({ id }) => id));
  const reports: ChainReport[] = [];
  for (const id of new Set([...existing, ...heads, ...told].map((one) => one.id))) {
    reports.push(await verifyChain(read, id, exists.has(id)));
  }
  return reports;
}

function eventsAfter(read: Reader, account: string, sequence: number): Promise<AuditEventsTable[]> {
  return read
    .selectFrom('audit_events')
    .selectAll()
    .where('account_id', '=', account)
    .where('sequence', '>', sequence)
    .orderBy('sequence')
    .limit(pageRows)
    .execute();
}

async function headOf(read: Reader, account: string): Promise<{ sequence: number; hash: string }> {
  const head = await read
    .selectFrom('audit_heads')
    .select(['sequence', 'hash'])
    .where('account_id', '=', account)
    .executeTakeFirst();
  return head ?? { sequence: 0, hash: chainStart };
}
