import type { Records, Transaction } from '../../platform/records/records.ts';
import type { ReadGroupSetsTable } from '../../platform/records/schema-genomics.ts';
import { notFound } from '../../problem.ts';
import { type Audit, actor } from '../audit/index.ts';
import { fileChanging } from '../files/index.ts';
import { lockProject } from '../projects/index.ts';
import { attributesOfReadGroupSet } from './read-group-sets.ts';
import type { By, ReadIngestions } from './read-routes.ts';
import { dropReads } from './reads-state.ts';

/** Deletes read group sets by themselves; with their file they go through the listeners of files. */
export class ReadsRemoval {
  readonly #records: Records;
  readonly #audit: Audit;
  readonly #ingestions: Pick<ReadIngestions, 'cancel'>;

  constructor(parts: { records: Records; audit: Audit; ingestions: Pick<ReadIngestions, 'cancel'> }) {
    this.#records = parts.records;
    this.#audit = parts.audit;
    this.#ingestions = parts.ingestions;
  }

  /** The file stays; problem 409 when it has left the project where the caller's rights were asked. What is making the set anew is cancelled, or it would come back. */
  async remove(set: ReadGroupSetsTable, by: By): Promise<void> {
    await this.#records.transact(async (tx) => {
      // An ingestion that ends at this moment comes first, or finds itself cancelled.
      await lockProject(tx, set.project_id);
      await requireUnmoved(tx, set);
      await dropReads(tx, set.file_id);
      await this.#ingestions.cancel(tx, set.file_id, by);
      await this.#audit.append(tx, {
        account: set.account_id,
        ...actor(by.caller, by.requestId),
        action: 'reads.delete',
        resource: attributesOfReadGroupSet(set),
        outcome: 'done',
        details: { fileId: set.file_id },
      });
    });
  }
}

/** Its file may have been moved, and the set with it, or the set have been deleted and another one made of the file. */
async function requireUnmoved(tx: Transaction, { id, project_id }: ReadGroupSetsTable): Promise<void> {
  const present = await tx
    .selectFrom('readgroup_sets')
    .select('project_id')
    .where('id', '=', id)
    .executeTakeFirst();
  if (!present) throw notFound();
  if (present.project_id !== project_id) throw fileChanging();
}
