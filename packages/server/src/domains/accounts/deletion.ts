import type { Caller } from '../../access/caller.ts';
import { timestamp } from '../../ids.ts';
import { readSharedNow } from '../../platform/records/clock.ts';
import type { PlatformLog } from '../../platform/records/log.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import { notFound } from '../../problem.ts';
import { type Audit, type AuditEvent, actor } from '../audit/index.ts';
import { type Removals, removeDue } from '../deletion/index.ts';
import { requireAccount } from './accounts.ts';

export interface DeletionParts {
  records: Records;
  audit: Audit;
  removals: Removals;
  log: PlatformLog;
  /** Takes all projects of an account; answers how many. Handed in by app.ts, because projects know accounts. */
  removeProjects: (tx: Transaction, account: string) => Promise<number>;
}

/**
 * Deleting accounts. A pending one has a date and works on. A removal takes, in one transaction, the rows of the account and of
 * its projects: nobody is a member any more, its keys open nothing, and its audit chain takes no event but the removal's. What
 * it held goes afterwards (domains/deletion).
 */
export class AccountDeletion {
  readonly #parts: DeletionParts;
  readonly #graceMs: number;

  constructor(parts: DeletionParts, graceMs: number) {
    this.#parts = parts;
    this.#graceMs = graceMs;
  }

  /** Marks an account for removal, or removes it at once; one that is marked already keeps its date. */
  async delete(id: string, force: boolean, by: { caller: Caller; requestId: string }): Promise<void> {
    const teller = actor(by.caller, by.requestId);
    const { records } = this.#parts;
    await records.transact(async (tx) => {
      if (force) {
        if (!(await this.#remove(tx, id, undefined, teller))) throw notFound();
        return;
      }
      const at = (await readSharedNow(records.dialect, tx)) + this.#graceMs;
      const marked = await tx
        .updateTable('accounts')
        .set({ deletion_at: at })
        .where('id', '=', id)
        .where('deletion_at', 'is', null)
        .executeTakeFirst();
      // Nothing was changed: either it is marked already, or it is gone.
      if (marked.numUpdatedRows === 0n) return requireAccount(tx, id);
      await this.#tell(tx, id, teller, { force: false, deletionDate: timestamp(at) });
    });
  }

  /** Begins the removal of the accounts whose grace period is over. */
  removeDue(): Promise<void> {
    const teller = { userId: null, via: 'job' };
    return removeDue(this.#parts, 'account', (tx, id, now) => this.#remove(tx, id, now, teller));
  }

  /** Takes the account's row, if it is there and, with `dueAt`, due; and everything by which others reach it. */
  async #remove(
    tx: Transaction,
    id: string,
    dueAt: number | undefined,
    teller: Pick<AuditEvent, 'userId' | 'via'>,
  ): Promise<boolean> {
    const { records, audit, removals, removeProjects } = this.#parts;
    const gone = await tx
      .deleteFrom('accounts')
      .where('id', '=', id)
      .$if(dueAt !== undefined, (query) => query.where('deletion_at', '<=', dueAt ?? 0))
      .executeTakeFirst();
    if (gone.numDeletedRows === 0n) return false;
    const projects = await removeProjects(tx, id);
    await removals.begin(tx, { kind: 'account', id, account: id }, { projects });
    // Whoever is cached as a member, or with a key of the account, is looked up anew in every process.
    await records.announce(tx, `access:${id}`);
    await this.#tell(tx, id, teller, dueAt === undefined ? { force: true } : { due: true });
    await audit.close(tx, id);
    return true;
  }

  async #tell(
    tx: Transaction,
    id: string,
    teller: Pick<AuditEvent, 'userId' | 'via'>,
    details: NonNullable<AuditEvent['details']>,
  ): Promise<void> {
    const event = { account: id, ...teller, action: 'accounts.delete', details, outcome: 'done' as const };
    await this.#parts.audit.append(tx, { ...event, resource: { type: 'account', id } });
  }
}
