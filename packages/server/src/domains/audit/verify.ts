import type { Reader } from '../../platform/records/records.ts';
import type { AuditEventsTable } from '../../platform/records/schema.ts';
import { chainStart, eventHash } from './chain.ts';

export interface ChainReport {
  account: string;
  events: number;
  /** First event that is missing or does not follow from its predecessor; undefined for a complete chain. */
  brokenAt?: number;
}

const pageRows = 1000;

/** Last event of a verified stretch; sequence 0 before the first event. */
interface Place {
  sequence: number;
  hash: string;
}

/** Follows a chain for about `rowsMax` events, or to its end. */
async function follow(
  read: Reader,
  account: string,
  from: Place,
  rowsMax: number,
): Promise<Place & { isBroken?: true; isEnd?: true }> {
  let place = from;
  while (place.sequence - from.sequence < rowsMax) {
    const rows = await eventsAfter(read, account, place.sequence);
    for (const { hash, ...row } of rows) {
      const follows = row.sequence === place.sequence + 1 && row.previous_hash === place.hash;
      if (!follows || eventHash(row) !== hash) return { ...place, isBroken: true };
      place = { sequence: row.sequence, hash };
    }
    if (rows.length < pageRows) return { ...place, isEnd: true };
  }
  return place;
}

/**
 * Verifies the chain of an account from its first event to the head. Events appended meanwhile are included.
 * `exists`: the account exists, so its chain holds at least the event of its creation.
 */
export async function verifyChain(read: Reader, account: string, exists = false): Promise<ChainReport> {
  for (let before: Place = { sequence: 0, hash: chainStart }; ; ) {
    const { sequence, hash, isBroken } = await follow(read, account, before, Number.POSITIVE_INFINITY);
    if (isBroken) return { account, events: sequence, brokenAt: sequence + 1 };
    const head = await headOf(read, account);
    const grown = head.sequence > sequence && sequence > before.sequence;
    before = { sequence, hash };
    if (grown) continue;
    const whole = head.sequence === sequence && head.hash === hash && (sequence > 0 || !exists);
    if (whole) return { account, events: sequence };
    // A head that is behind is wrong from the next event; one that is ahead proves missing events.
    return { account, events: sequence, brokenAt: Math.min(sequence, head.sequence) + 1 };
  }
}

/** State of a verification in parts. */
interface PartReport {
  /** Number of the last verified event, where the next part goes on. */
  verified: number;
  /** Events of the log. */
  total: number;
  brokenAt?: number;
}

/** Verifies a part of an account's chain: about `rowsMax` events after one that was verified before. */
export async function verifyPart(
  read: Reader,
  account: string,
  after: number,
  rowsMax: number,
): Promise<PartReport> {
  const from = after === 0 ? { sequence: 0, hash: chainStart } : await placeOf(read, account, after);
  if (!from) return { verified: 0, total: (await headOf(read, account)).sequence, brokenAt: after };
  const { sequence, hash, isBroken, isEnd } = await follow(read, account, from, rowsMax);
  const head = await headOf(read, account);
  const report = { verified: sequence, total: head.sequence };
  if (isBroken) return { ...report, brokenAt: sequence + 1 };
  const isBehind = head.sequence < sequence || (head.sequence === sequence && head.hash !== hash);
  // A head that is ahead of a part with events may have grown meanwhile: the next part decides.
  const isAhead = isEnd && sequence === after && head.sequence > sequence;
  if (isBehind || isAhead) return { ...report, brokenAt: Math.min(sequence, head.sequence) + 1 };
  return report;
}

/** Verifies the chains of all accounts: existing ones, and those with only events or a head left. */
export async function verifyChains(read: Reader): Promise<ChainReport[]> {
  const existing = await read.selectFrom('accounts').select('id').execute();
  const heads = await read.selectFrom('audit_heads').select('account_id as id').execute();
  const recorded = await read.selectFrom('audit_events').select('account_id as id').distinct().execute();
  const exists = new Set(existing.map(({ id }) => id));
  const reports: ChainReport[] = [];
  for (const id of new Set([...existing, ...heads, ...recorded].map((one) => one.id))) {
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

async function placeOf(read: Reader, account: string, sequence: number): Promise<Place | undefined> {
  return read
    .selectFrom('audit_events')
    .select(['sequence', 'hash'])
    .where('account_id', '=', account)
    .where('sequence', '=', sequence)
    .executeTakeFirst();
}

async function headOf(read: Reader, account: string): Promise<Place> {
  const head = await read
    .selectFrom('audit_heads')
    .select(['sequence', 'hash'])
    .where('account_id', '=', account)
    .executeTakeFirst();
  return head ?? { sequence: 0, hash: chainStart };
}
