import type { Caller } from '../../access/caller.ts';
import type { ResourceAttributes } from '../../access/resource.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { AuditHeadsTable } from '../../platform/records/schema.ts';
import { notFound } from '../../problem.ts';
import { chainStart, eventHash } from './chain.ts';

/** One event. `details` holds ids, names of fields and counts, never health data or secrets. */
export interface AuditEvent {
  account: string;
  userId: string | null;
  via: string;
  action: string;
  resource: Pick<ResourceAttributes, 'type' | 'id' | 'dataset'>;
  outcome: 'done' | 'refused';
  details?: Record<string, string | number | boolean | null>;
  requestId?: string;
}

/** The actor part of an event, for a caller. */
export function actor(
  caller: Caller,
  requestId?: string,
): Pick<AuditEvent, 'userId' | 'via'> & { requestId?: string } {
  const base = { userId: caller.userId, via: caller.via };
  return requestId === undefined ? base : { ...base, requestId };
}

type Head = Pick<AuditHeadsTable, 'sequence' | 'hash' | 'closed_at'>;

/** The audit log: append-only, one hash chain an account, written in the transaction of the change it tells of. */
export class Audit {
  readonly #records: Pick<Records, 'dialect' | 'transact'>;

  constructor(records: Pick<Records, 'dialect' | 'transact'>) {
    this.#records = records;
  }

  /**
   * Appends in the caller's transaction; last in it, because the head of the chain stays locked until the commit. Problem 404
   * when the account was removed: so nothing can be put into one that is going, whatever its maker had looked at before.
   */
  async append(tx: Transaction, event: AuditEvent): Promise<void> {
    const head = await this.#lockHead(tx, event.account);
    if (head.closed_at !== null) throw notFound();
    await this.#add(tx, event, head);
  }

  /** What a removal tells of itself, also to the chain of an account that is closed. */
  async appendFromRemoval(tx: Transaction, event: AuditEvent): Promise<void> {
    await this.#add(tx, event, await this.#lockHead(tx, event.account));
  }

  /** Ends the chain of an account that is removed, in the transaction that begins its removal. */
  async close(tx: Transaction, account: string): Promise<void> {
    await tx
      .updateTable('audit_heads')
      .set({ closed_at: Date.now() })
      .where('account_id', '=', account)
      .execute();
  }

  async #add(tx: Transaction, event: AuditEvent, head: Head): Promise<void> {
    const row = {
      account_id: event.account,
      sequence: head.sequence + 1,
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
      previous_hash: head.hash,
    };
    const hash = eventHash(row);
    await tx
      .insertInto('audit_events')
      .values({ ...row, hash })
      .execute();
    await tx
      .updateTable('audit_heads')
      .set({ sequence: row.sequence, hash })
      .where('account_id', '=', event.account)
      .execute();
  }

  /** An event that belongs to no change: a read of health data, a refusal. */
  async record(event: AuditEvent): Promise<void> {
    await this.#records.transact((tx) => this.append(tx, event));
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
