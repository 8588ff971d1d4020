import type { Caller } from '../../../access/caller.ts';
import { timestamp } from '../../../base/ids.ts';
import { notFound } from '../../../base/problem.ts';
import { readSharedNow } from '../../../platform/records/clock.ts';
import type { PlatformLog } from '../../../platform/records/log.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import { type Audit, type AuditEvent, actor } from '../../audit/index.ts';
import { type Removals, removeDue } from '../../deletion/index.ts';
import { requireAccount } from './accounts.ts';

interface DeletionDeps {
  records: Records;
  audit: Audit;
  removals: Removals;
  log: PlatformLog;
  /**
   * Removes all projects of an account and returns their number. Injected by the app: projects depend on
   * accounts.
   */
  removeProjects: (tx: Transaction, account: string) => Promise<number>;
}

/**
 * Deletion of accounts. A pending one has a date and keeps working. A removal deletes the rows of the account
 * and of its projects in one transaction. Memberships and keys end, and its audit chain accepts only events
 * of the removal. The content is removed afterwards (domains/deletion).
 */
export class AccountDeletion {
  readonly #deps: DeletionDeps;
  readonly #graceMs: number;

  constructor(deps: DeletionDeps, graceMs: number) {
    this.#deps = deps;
    this.#graceMs = graceMs;
  }

  /** Marks an account for removal, or removes it at once; a pending one keeps its date. */
  async delete(id: string, force: boolean, by: { caller: Caller; requestId: string }): Promise<void> {
    const actedBy = actor(by.caller, by.requestId);
    const { records } = this.#deps;
    await records.transact(async (tx) => {
      if (force) {
        if (!(await this.#remove(tx, id, undefined, actedBy))) throw notFound();
        return;
      }
      const at = (await readSharedNow(records.dialect, tx)) + this.#graceMs;
      const marked = await tx
        .updateTable('accounts')
        .set({ deletion_at: at })
        .where('id', '=', id)
        .where('deletion_at', 'is', null)
        .executeTakeFirst();
      // Nothing was changed: it is already marked, or gone.
      if (marked.numUpdatedRows === 0n) return requireAccount(tx, id);
      await this.#record(tx, id, actedBy, { force: false, deletionDate: timestamp(at) });
    });
  }

  /** Begins the removal of the accounts whose grace period is over. */
  removeDue(): Promise<void> {
    const actedBy = { userId: null, via: 'job' };
    return removeDue(this.#deps, 'account', (tx, id, now) => this.#remove(tx, id, now, actedBy));
  }

  /** Removes the account's row, if it exists and, with `dueAt`, is due, and all access to it. */
  async #remove(
    tx: Transaction,
    id: string,
    dueAt: number | undefined,
    by: Pick<AuditEvent, 'userId' | 'via'>,
  ): Promise<boolean> {
    const { records, audit, removals, removeProjects } = this.#deps;
    const gone = await tx
      .deleteFrom('accounts')
      .where('id', '=', id)
      .$if(dueAt !== undefined, (query) => query.where('deletion_at', '<=', dueAt ?? 0))
      .executeTakeFirst();
    if (gone.numDeletedRows === 0n) return false;
    const projects = await removeProjects(tx, id);
    await removals.begin(tx, { kind: 'account', id, account: id }, { projects });
    // Every process drops cached members and keys of the account.
    await records.announce(tx, `access:${id}`);
    await this.#record(tx, id, by, dueAt === undefined ? { force: true } : { due: true });
    await audit.close(tx, id);
    return true;
  }

  async #record(
    tx: Transaction,
    id: string,
    by: Pick<AuditEvent, 'userId' | 'via'>,
    details: NonNullable<AuditEvent['details']>,
  ): Promise<void> {
    const event = {
      account: id,
      ...by,
      action: 'accounts.delete' as const,
      details,
      outcome: 'done' as const,
    };
    await this.#deps.audit.append(tx, { ...event, resource: { type: 'account', id } });
  }
}
