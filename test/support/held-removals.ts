import { Audit } from '../../packages/server/src/domains/audit/index.ts';
import { Removals } from '../../packages/server/src/domains/deletion/index.ts';
import { ProjectDeletion } from '../../packages/server/src/domains/files/projects/index.ts';
import { AccountDeletion } from '../../packages/server/src/domains/identity/accounts/index.ts';
import { openJobs } from '../../packages/server/src/platform/jobs/index.ts';
import type { Records } from '../../packages/server/src/platform/records/index.ts';
import { silent } from './records.ts';

const yearMs = 365 * 86_400_000;

/**
 * Removals that begin, as another process would begin them, and whose jobs wait until they are let go: between the two nothing
 * may be seen of what is still there.
 */
export class HeldRemovals {
  readonly #records: Records;
  readonly #projects: ProjectDeletion;
  readonly #accounts: AccountDeletion;

  constructor(records: Records) {
    const jobs = openJobs({ records, log: silent, places: {}, soleProcess: false });
    const removals = new Removals({
      add: (tx, job) => jobs.add(tx, { ...job, notBefore: Date.now() + yearMs }),
    });
    const parts = { records, audit: new Audit(records), removals, log: silent };
    this.#records = records;
    this.#projects = new ProjectDeletion(parts, 0);
    this.#accounts = new AccountDeletion(
      { ...parts, removeProjects: (tx, account) => this.#projects.removeWithAccount(tx, account) },
      0,
    );
  }

  /** Lets the grace period of a thing end, and begins its removal. */
  async begin(kind: 'project' | 'account', id: string): Promise<void> {
    await this.#records.transact((tx) =>
      tx.updateTable(`${kind}s`).set({ deletion_at: 1 }).where('id', '=', id).execute(),
    );
    await (kind === 'project' ? this.#projects : this.#accounts).removeDue();
  }

  async letGo(): Promise<void> {
    await this.#records.transact((tx) =>
      tx.updateTable('jobs').set({ not_before: 0 }).where('kind', '=', 'deletion.remove').execute(),
    );
  }
}
