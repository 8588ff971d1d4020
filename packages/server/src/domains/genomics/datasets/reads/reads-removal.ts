import type { ConversionOptions } from '@ploidy/engine';
import type { Caller } from '../../../../access/caller.ts';
import { notFound } from '../../../../base/problem.ts';
import type { Records, Transaction } from '../../../../platform/records/records.ts';
import type { FilesTable } from '../../../../platform/records/schema.ts';
import type { ReadGroupSetsTable } from '../../../../platform/records/schema-genomics.ts';
import { type Audit, actor } from '../../../audit/index.ts';
import { fileChanging } from '../../../files/index.ts';
import { lockProject } from '../../../files/projects/index.ts';
import { attributesOfReadGroupSet } from './read-group-sets.ts';
import { dropReads } from './reads-state.ts';

export type By = { caller: Caller; requestId: string };

/** Functions of the ingestion domain that start and cancel ingestions. */
export interface ReadIngestions {
  start(file: FilesTable, options: ConversionOptions, by: By): Promise<unknown>;
  cancel(tx: Transaction, fileId: string, by: By): Promise<void>;
}

/** Deletes read group sets by themselves; deleting their file does so through file listeners. */
export class ReadsRemoval {
  readonly #records: Records;
  readonly #audit: Audit;
  readonly #ingestions: Pick<ReadIngestions, 'cancel'>;

  constructor(deps: { records: Records; audit: Audit; ingestions: Pick<ReadIngestions, 'cancel'> }) {
    this.#records = deps.records;
    this.#audit = deps.audit;
    this.#ingestions = deps.ingestions;
  }

  /**
   * Deletes the set and keeps the file. Problem 409 if the file left the project that permissions were
   * checked for. Cancels a running ingestion, which would recreate the set.
   */
  async remove(set: ReadGroupSetsTable, by: By): Promise<void> {
    await this.#records.transact(async (tx) => {
      // An ingestion that ends now either commits first or finds itself cancelled.
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

/** Problem 409 if the set moved with its file, or was deleted and made again. */
async function requireUnmoved(tx: Transaction, { id, project_id }: ReadGroupSetsTable): Promise<void> {
  const present = await tx
    .selectFrom('readgroup_sets')
    .select('project_id')
    .where('id', '=', id)
    .executeTakeFirst();
  if (!present) throw notFound();
  if (present.project_id !== project_id) throw fileChanging();
}
