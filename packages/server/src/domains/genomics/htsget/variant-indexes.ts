import type { Wait } from '../../../api/route.ts';
import type { BlobInfo } from '../../../platform/blobs/blobs.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import { ChangeWaiter } from '../../../platform/records/change-waiter.ts';
import { prepared } from '../../../platform/records/prepared.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { FilesTable } from '../../../platform/records/schema.ts';
import type { VariantIndexesTable } from '../../../platform/records/schema-htsget.ts';
import { type Remover, rowsOf } from '../../deletion/index.ts';
import type { Follower } from '../../files/index.ts';
import { requireProject } from '../../files/projects/index.ts';
import { beingIndexed, unsupportedFormat } from './problem.ts';

/** Kind of the job that builds an index. */
export const indexJob = 'htsget.index';
/** Topic announced when a build ends, with the id of the file. */
export const indexTopic = 'variant-index:';
/** An interrupted run starts over. */
const attemptsMax = 3;
/** Time a request waits for an index. Most builds are faster; clients give up after a minute. */
const waitMs = 20_000;

/** Indexes of VCF files: built by a job at the first request of a region, kept until the file changes or is deleted. */
export class VariantIndexes {
  readonly #records: Records;
  readonly #jobs: Jobs;
  readonly #byFile: (id: string) => Promise<VariantIndexesTable[]>;
  readonly #ends: ChangeWaiter;

  constructor(deps: { records: Records; jobs: Jobs }) {
    this.#records = deps.records;
    this.#jobs = deps.jobs;
    this.#byFile = prepared(deps.records.read, (read, id: string) =>
      read.selectFrom('variant_indexes').selectAll().where('file_id', '=', id),
    );
    this.#ends = new ChangeWaiter(deps.records, indexTopic);
  }

  /** Returns the blocks of a file that has none itself, once they are there. */
  async packedOf(file: FilesTable): Promise<BlobInfo | undefined> {
    const [row] = await this.#byFile(file.id);
    if (row?.source_blob !== file.blob_key || row.status !== 'ACTIVE' || row.packed_blob === null)
      return undefined;
    return { key: row.packed_blob, size: row.packed_size ?? 0, sha256: row.packed_sha256 ?? '' };
  }

  /** Returns the index of a file, and builds it if absent. Problem 503 if that lasts long, 400 if the file cannot be indexed. */
  async of(file: FilesTable, wait: Wait): Promise<BlobInfo> {
    const present = await this.#present(file);
    if (present) return present;
    await this.#queue(file);
    return wait((signal) => this.#built(file, signal));
  }

  async #built(file: FilesTable, signal: AbortSignal): Promise<BlobInfo> {
    const late = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
    while (!late.aborted) {
      const ended = this.#ends.next(file.id, late);
      const built = await this.#present(file);
      if (built) return built;
      await ended;
    }
    throw beingIndexed();
  }

  async #present(file: FilesTable): Promise<BlobInfo | undefined> {
    const [row] = await this.#byFile(file.id);
    if (row?.source_blob !== file.blob_key) return undefined;
    if (row.status === 'FAILED') throw unsupportedFormat(row.message ?? 'The file cannot be indexed.');
    if (row.status !== 'ACTIVE' || row.index_blob === null) return undefined;
    return { key: row.index_blob, size: row.index_size ?? 0, sha256: row.index_sha256 ?? '' };
  }

  /** Queues a job for these bytes unless there is one: a second request finds the first one's row. */
  async #queue(file: FilesTable): Promise<void> {
    await this.#records.transact(async (tx) => {
      await requireProject(tx, file.project_id);
      const fresh = {
        project_id: file.project_id,
        source_blob: file.blob_key,
        status: 'INDEXING' as const,
        message: null,
        job_id: '',
        created_at: Date.now(),
      };
      const row = await tx
        .insertInto('variant_indexes')
        .values({ ...fresh, ...unbuilt, file_id: file.id })
        .onConflict((conflict) =>
          conflict
            .column('file_id')
            .doUpdateSet(fresh)
            .where('variant_indexes.source_blob', '!=', file.blob_key),
        )
        .returning('file_id')
        .executeTakeFirst();
      if (!row) return;
      const payload = { fileId: file.id };
      const job = await this.#jobs.add(tx, {
        ...{ kind: indexJob, class: 'ingestion', payload, attemptsMax },
        whose: { account: file.account_id, project: file.project_id, user: file.owner_id },
        inputBytes: file.size,
      });
      await tx.updateTable('variant_indexes').set({ job_id: job }).where('file_id', '=', file.id).execute();
    });
  }
}

const unbuilt = {
  ...{ index_blob: null, index_size: null, index_sha256: null },
  ...{ packed_blob: null, packed_size: null, packed_sha256: null },
};

/** Removes the index of a file; the sweep removes its blobs. */
export async function dropIndex(tx: Transaction, fileId: string): Promise<void> {
  await tx.deleteFrom('variant_indexes').where('file_id', '=', fileId).execute();
}

/** Moves the index with its file. */
export async function followingIndex(fileId: string): Promise<Follower> {
  return {
    follow: async (tx, project) => {
      await tx
        .updateTable('variant_indexes')
        .set({ project_id: project })
        .where('file_id', '=', fileId)
        .execute();
      return true;
    },
    discard: async () => undefined,
  };
}

/** Removes the indexes of a project's VCF files. */
export const htsgetRemovers: readonly Remover[] = [
  rowsOf('project', 'variant_indexes', { key: 'file_id', blob: 'index_blob' }),
];
