import type { Caller } from '../../../access/caller.ts';
import { timestamp } from '../../../base/ids.ts';
import { readSharedNow } from '../../../platform/records/clock.ts';
import type { PlatformLog } from '../../../platform/records/log.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import { type Audit, actor } from '../../audit/index.ts';
import { type Removals, removeDue } from '../../deletion/index.ts';
import { attributesOfProject, requireProject } from './presence.ts';
import type { ProjectRecord } from './projects.ts';

interface DeletionDeps {
  records: Records;
  audit: Audit;
  removals: Removals;
  log: PlatformLog;
}

/** Topic of projects that are gone, before the id: what was kept of their rows ends. */
export const goneTopic = 'gone:';

/**
 * Deletes projects. A project pending deletion has a date and stays usable. Removal deletes the project's row
 * in one transaction: the project and its content are then hidden and its name is free. The content is
 * removed afterwards (domains/deletion).
 */
export class ProjectDeletion {
  readonly #deps: DeletionDeps;
  readonly #graceMs: number;

  constructor(deps: DeletionDeps, graceMs: number) {
    this.#deps = deps;
    this.#graceMs = graceMs;
  }

  /** Marks a project for removal, or removes it at once; a marked project keeps its date. */
  async delete(
    project: ProjectRecord,
    force: boolean,
    by: { caller: Caller; requestId: string },
  ): Promise<void> {
    const { records, audit } = this.#deps;
    await records.transact(async (tx) => {
      const details = force
        ? (await this.#remove(tx, project.id, undefined)) && { force: true }
        : await mark(tx, project.id, (await readSharedNow(records.dialect, tx)) + this.#graceMs);
      // Nothing changed: the project is marked already, or gone.
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

  /** Starts the removal of the projects whose grace period is over. */
  removeDue(): Promise<void> {
    return removeDue(this.#deps, 'project', async (tx, id, now) => {
      const taken = await this.#remove(tx, id, now);
      // Restored or removed meanwhile.
      if (!taken) return;
      const event = {
        account: taken.account_id,
        userId: null,
        via: 'job',
        action: 'projects.delete' as const,
      };
      const resource = attributesOfProject(id);
      await this.#deps.audit.append(tx, { ...event, resource, outcome: 'done', details: { due: true } });
    });
  }

  /** Removes all projects of an account that is being removed; returns their number. */
  async removeWithAccount(tx: Transaction, account: string): Promise<number> {
    const rows = await tx.deleteFrom('projects').where('account_id', '=', account).returning('id').execute();
    const ids = rows.map(({ id }) => id);
    await this.#deps.removals.beginWithAccount(tx, account, ids);
    for (const id of ids) await this.#deps.records.announce(tx, goneTopic + id);
    return ids.length;
  }

  /** Deletes the project's row if it exists and, with `dueAt`, is due. */
  async #remove(tx: Transaction, id: string, dueAt: number | undefined) {
    const row = await tx
      .deleteFrom('projects')
      .where('id', '=', id)
      .$if(dueAt !== undefined, (query) => query.where('deletion_at', '<=', dueAt ?? 0))
      .returning('account_id')
      .executeTakeFirst();
    if (!row) return undefined;
    await this.#deps.removals.begin(tx, { kind: 'project', id, account: row.account_id });
    await this.#deps.records.announce(tx, goneTopic + id);
    return row;
  }
}

/** Sets the deletion date if there is none; returns the details for the audit log. */
async function mark(tx: Transaction, id: string, at: number) {
  const marked = await tx
    .updateTable('projects')
    .set({ deletion_at: at })
    .where('id', '=', id)
    .where('deletion_at', 'is', null)
    .executeTakeFirst();
  return marked.numUpdatedRows > 0n ? { force: false, deletionDate: timestamp(at) } : undefined;
}
