import type { CompiledQuery } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import type { ResourceAttributes } from '../../access/resource.ts';
import { notFound } from '../../base/problem.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { AuditEventsTable, AuditHeadsTable } from '../../platform/records/schema.ts';
import type { AuditAction } from './actions.ts';
import { chainStart, eventHash } from './chain.ts';

/** Audit event. `details` holds ids, names of fields and counts, never health data or secrets. */
export interface AuditEvent {
  account: string;
  userId: string | null;
  via: string;
  action: AuditAction;
  resource: Pick<ResourceAttributes, 'type' | 'id' | 'dataset'>;
  outcome: 'done' | 'refused';
  details?: Record<string, string | number | boolean | null>;
  requestId?: string;
}

/** Returns the actor fields of an event for a caller. */
export function actor(
  caller: Caller,
  requestId?: string,
): Pick<AuditEvent, 'userId' | 'via'> & { requestId?: string } {
  const via = caller.viewer === undefined ? caller.via : `${caller.via} as ${caller.userId}`;
  const base = { userId: caller.viewer ?? caller.userId, via };
  return requestId === undefined ? base : { ...base, requestId };
}

/** Returns the common fields of events of a job that a user requested. */
export function onBehalf({ account_id: account, user_id: userId }: { account_id: string; user_id: string }) {
  return { account, userId, via: 'job', outcome: 'done' } as const;
}

type Head = Pick<AuditHeadsTable, 'sequence' | 'hash' | 'closed_at'>;

/** Events of one account that wait for the transaction that writes them. */
interface Batch {
  events: AuditEvent[];
  written: Promise<void>;
}

/** Max. events in one transaction: it locks the head of the chain. */
const batchMax = 32;

/** Audit log: append-only, one hash chain an account, written in the transaction of the change. */
export class Audit {
  readonly #records: Pick<Records, 'dialect' | 'transact'>;
  readonly #inserts = new EventInserts();
  /** Batch that still accepts events, by account. */
  readonly #open = new Map<string, Batch>();

  constructor(records: Pick<Records, 'dialect' | 'transact'>) {
    this.#records = records;
  }

  /**
   * Appends in the caller's transaction, as its last statement: the head of the chain stays locked until the
   * commit. Throws 404 after the account was removed: a transaction cannot add to a removed account, whatever
   * it checked before.
   */
  async append(tx: Transaction, event: AuditEvent): Promise<void> {
    const head = await this.#lockHead(tx, event.account);
    if (head.closed_at !== null) throw notFound();
    await this.#add(tx, [event], head);
  }

  /** Appends an event of a removal, also to the chain of a closed account. */
  async appendFromRemoval(tx: Transaction, event: AuditEvent): Promise<void> {
    await this.#add(tx, [event], await this.#lockHead(tx, event.account));
  }

  /** Closes the chain of a removed account, in the transaction that begins its removal. */
  async close(tx: Transaction, account: string): Promise<void> {
    await tx
      .updateTable('audit_heads')
      .set({ closed_at: Date.now() })
      .where('account_id', '=', account)
      .execute();
  }

  /**
   * Records an event without a change: a read of health data, a refusal. Resolves once it is durable. Events
   * of one account that arrive while a transaction is pending share it.
   */
  record(event: AuditEvent): Promise<void> {
    const open = this.#open.get(event.account);
    if (open === undefined || open.events.length >= batchMax) return this.#begin(event);
    open.events.push(event);
    return open.written;
  }

  #begin(event: AuditEvent): Promise<void> {
    const { account } = event;
    const batch: Batch = { events: [event], written: Promise.resolve() };
    const close = (): void => {
      if (this.#open.get(account) === batch) this.#open.delete(account);
    };
    this.#open.set(account, batch);
    const written = this.#records.transact(async (tx) => {
      close();
      const head = await this.#lockHead(tx, account);
      if (head.closed_at !== null) throw notFound();
      await this.#add(tx, batch.events, head);
    });
    batch.written = written.finally(close);
    return batch.written;
  }

  async #add(tx: Transaction, events: readonly AuditEvent[], head: Head): Promise<void> {
    const rows: AuditEventsTable[] = [];
    let last: Pick<Head, 'sequence' | 'hash'> = head;
    for (const event of events) {
      const row = rowOf(event, last);
      last = { sequence: row.sequence, hash: eventHash(row) };
      rows.push({ ...row, hash: last.hash });
    }
    await this.#inserts.run(tx, rows);
    await tx
      .updateTable('audit_heads')
      .set({ sequence: last.sequence, hash: last.hash })
      .where('account_id', '=', events[0]?.account ?? '')
      .execute();
  }

  async #lockHead(tx: Transaction, account: string): Promise<Head> {
    await tx
      .insertInto('audit_heads')
      .values({ account_id: account, sequence: 0, hash: chainStart, closed_at: null })
      .onConflict((conflict) => conflict.column('account_id').doNothing())
      .execute();
    const head = tx.selectFrom('audit_heads').selectAll().where('account_id', '=', account);
    const locked = this.#records.dialect === 'postgres' ? head.forUpdate() : head;
    return locked.executeTakeFirstOrThrow();
  }
}

/** Reports whether an action was ever done to a resource of an account: the log is never pruned. */
export async function wasDone(
  tx: Transaction,
  { account, action, resource }: Pick<AuditEvent, 'account' | 'action' | 'resource'>,
): Promise<boolean> {
  const found = await tx
    .selectFrom('audit_events')
    .select('sequence')
    .where('account_id', '=', account)
    .where('resource_id', '=', resource.id ?? '')
    .where('resource_type', '=', resource.type)
    .where('action', '=', action)
    .where('outcome', '=', 'done')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

function rowOf(
  event: AuditEvent,
  { sequence, hash }: Pick<Head, 'sequence' | 'hash'>,
): Omit<AuditEventsTable, 'hash'> {
  return {
    account_id: event.account,
    sequence: sequence + 1,
    at: Date.now(),
    user_id: event.userId,
    via: event.via,
    action: event.action,
    resource_type: event.resource.type,
    resource_id: event.resource.id ?? '',
    project_id: event.resource.dataset ?? null,
    outcome: event.outcome,
    details: JSON.stringify(event.details ?? {}),
    request_id: event.requestId ?? null,
    previous_hash: hash,
  };
}

/** Inserts events by statements compiled once for each number of rows: nearly every request writes one. */
class EventInserts {
  readonly #statements = new Map<number, CompiledQuery>();

  /** Inserts rows; all have their fields in the same order, so their values are bound in place. */
  async run(tx: Transaction, rows: readonly AuditEventsTable[]): Promise<void> {
    const statement = this.#statements.get(rows.length) ?? this.#compile(tx, rows);
    await tx.executeQuery({ ...statement, parameters: rows.flatMap((row) => Object.values(row)) });
  }

  #compile(tx: Transaction, rows: readonly AuditEventsTable[]): CompiledQuery {
    const statement = tx
      .insertInto('audit_events')
      .values([...rows])
      .compile();
    this.#statements.set(rows.length, statement);
    return statement;
  }
}
