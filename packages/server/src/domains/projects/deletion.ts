import type { Caller } from '../../access/caller.ts';
import { timestamp } from '../../ids.ts';
import { readSharedNow } from '../../platform/records/clock.ts';
import type { PlatformLog } from '../../platform/records/log.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import { type Audit, actor } from '../audit/index.ts';
import { type Removals, removeDue } from '../deletion/index.ts';
import { attributesOfProject, requireProject } from './presence.ts';
import type { ProjectRecord } from './projects.ts';

export interface DeletionParts {
  records: Records;
  audit: Audit;
  removals: Removals;
  log: PlatformLog;
}

/**
 * Deleting projects. A pending one has a date and works on. A removal takes the project's row, in one transaction: from then on
 * nobody finds it or anything in it, and its name is free. What it held goes afterwards (domains/deletion).
 */
export class ProjectDeletion {
  readonly #parts: DeletionParts;
  readonly #graceMs: number;

  constructor(parts: DeletionParts, graceMs: number) {
    this.#parts = parts;
    this.#graceMs = graceMs;
  }

  /** Marks a project for removal, or removes it at once; one that is marked already keeps its date. */
  async delete(
    project: ProjectRecord,
    force: boolean,
    by: { caller: Caller; requestId: string },
  ): Promise<void> {
    const { records, audit } = this.#parts;
    await records.transact(async (tx) => {
      const details = force
        ? (await this.#remove(tx, project.id, undefined)) && { force: true }
        : await mark(tx, project.id, (await readSharedNow(records.dialect, tx)) + this.#graceMs);
      // Nothing was changed: either it is marked already, or it is gone.
      if (!details) return requireProject(tx, project.id);
      await audit.append(tx, {
        account: project.account,
        ...actor(by.caller, by.requestId),
        action: 'projects.delete',
        resource: attributesOfProject(project.id),
        outcome: 'done',
        details,
      });
    });
  }

  /** Begins the removal of the projects whose grace period is over. */
  removeDue(): Promise<void> {
    return removeDue(this.#parts, 'project', async (tx, id, now) => {
      const taken = await this.#remove(tx, id, now);
      // Restored or removed by somebody else meanwhile: nothing to do.
      if (!taken) return;
      const event = { account: taken.account_id, userId: null, via: 'job', action: 'projects.delete' };
      const resource = attributesOfProject(id);
      await this.#parts.audit.append(tx, { ...event, resource, outcome: 'done', details: { due: true } });
    });
  }

  /** Takes all projects of an account that is being removed; answers how many there were. */
  async removeWithAccount(tx: Transaction, account: string): Promise<number> {
    const rows = await tx.deleteFrom('projects').where('account_id', '=', account).returning('id').execute();
    const ids = rows.map(({ id }) => id);
    await this.#parts.removals.beginWithAccount(tx, account, ids);
    return ids.length;
  }

  /** Takes the project's row, if it is there and, with `dueAt`, due. */
  async #remove(tx: Transaction, id: string, dueAt: number | undefined) {
    const row = await tx
      .deleteFrom('projects')
      .where('id', '=', id)
      .$if(dueAt !== undefined, (query) => query.where('deletion_at', '<=', dueAt ?? 0))
      .returning('account_id')
      .executeTakeFirst();
    if (!row) return undefined;
    await this.#parts.removals.begin(tx, { kind: 'project', id, account: row.account_id });
    return row;
  }
}

/** Sets the date of one that has none; answers what the audit log is told. */
async function mark(tx: Transaction, id: string, at: number) {
  const marked = await tx
    .updateTable('projects')
    .set({ deletion_at: at })
    .where('id', '=', id)
    .where('deletion_at', 'is', null)
    .executeTakeFirst();
  return marked.numUpdatedRows > 0n ? { force: false, deletionDate: timestamp(at) } : undefined;
}
