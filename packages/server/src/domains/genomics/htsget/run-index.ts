import { type Engine, EngineError } from '@ploidy/engine';
import type { BlobInfo, Blobs } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import type { JobHandler, JobRun } from '../../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { FilesTable } from '../../../platform/records/schema.ts';
import { indexJob, indexTopic } from './variant-indexes.ts';

interface IndexDeps {
  records: Records;
  engine: Engine;
  blobs: Blobs;
}

/**
 * Handles the job that builds the index of a VCF, and its blocks where it has none: blob → worker process → blob → one transaction that
 * publishes it.
 */
export function runIndexes(deps: IndexDeps): JobHandler {
  return {
    kind: indexJob,
    run: (run) => runIndex(deps, run),
    // The next request queues a new job.
    onExhausted: async (tx, job) => {
      await tx.deleteFrom('variant_indexes').where('job_id', '=', job.id).execute();
      await deps.records.announce(tx, `${indexTopic}${job.payload['fileId']}`);
    },
  };
}

async function runIndex(deps: IndexDeps, run: JobRun): Promise<void> {
  const { records, blobs } = deps;
  const file = await fileOf(deps, run);
  if (!file) return;
  let built: Built | string;
  try {
    built = await build(deps, file, run.signal);
  } catch (error) {
    if (run.signal.aborted) throw run.signal.reason;
    if (!(error instanceof EngineError) || error.code !== 'INPUT') throw error;
    built = error.message;
  }
  const freed = await records.transact((tx) => settle(tx, records, file, built, run));
  if (freed.length > 0) await removeFreed(blobs, freed);
}

/** Finds the file of this run; `undefined` if it is gone or has other bytes than those requested. */
async function fileOf({ records }: IndexDeps, { job }: JobRun): Promise<FilesTable | undefined> {
  return records.read
    .selectFrom('files')
    .innerJoin('variant_indexes', (join) =>
      join
        .onRef('variant_indexes.file_id', '=', 'files.id')
        .onRef('variant_indexes.source_blob', '=', 'files.blob_key'),
    )
    .selectAll('files')
    .where('variant_indexes.job_id', '=', job.id)
    .executeTakeFirst();
}

interface Built {
  index: BlobInfo;
  /** Absent for a file that has blocks itself. */
  packed: BlobInfo | undefined;
}

async function build({ engine, blobs }: IndexDeps, file: FilesTable, signal: AbortSignal): Promise<Built> {
  const source = { key: file.blob_key, size: file.size, sha256: file.sha256 };
  return blobs.inScratchFolder(async (outputFolder) => {
    const { tables } = await blobs.withLocal(
      [source],
      ([sourcePath = '']) => {
        const task = { sourcePath, sourceSize: file.size, sourceName: file.name, outputFolder };
        return engine.convert({ ...task, type: 'vcf-index', setId: file.id, options: {} }, signal);
      },
      { signal, once: true },
    );
    const [index, packed] = tables;
    if (!index) throw new Error('The converter made no index.');
    const adopted = packed && (await blobs.adopt(packed.path, packed));
    return { index: await blobs.adopt(index.path, index), packed: adopted };
  });
}

/**
 * Records the built index or the reason of failure; returns the blobs no longer needed. The row keeps this
 * job's id only while its bytes are those that were read.
 */
async function settle(
  tx: Transaction,
  records: Records,
  file: FilesTable,
  built: Built | string,
  run: JobRun,
): Promise<string[]> {
  const made = typeof built === 'string' ? undefined : built;
  const unused = [made?.index, made?.packed].flatMap((blob) => (blob ? [blob.key] : []));
  if (!(await run.holdsLease(tx))) return unused;
  const row = await tx
    .selectFrom('variant_indexes')
    .select(['index_blob', 'packed_blob'])
    .where('job_id', '=', run.job.id)
    .executeTakeFirst();
  const done = await tx
    .updateTable('variant_indexes')
    .set({
      status: made ? 'ACTIVE' : 'FAILED',
      message: typeof built === 'string' ? built : null,
      index_blob: made?.index.key ?? null,
      index_size: made?.index.size ?? null,
      index_sha256: made?.index.sha256 ?? null,
      packed_blob: made?.packed?.key ?? null,
      packed_size: made?.packed?.size ?? null,
      packed_sha256: made?.packed?.sha256 ?? null,
    })
    .where('job_id', '=', run.job.id)
    .where('status', '=', 'INDEXING')
    .executeTakeFirst();
  if (done.numUpdatedRows === 0n) return unused;
  await records.announce(tx, `${indexTopic}${file.id}`);
  return [row?.index_blob, row?.packed_blob].flatMap((key) => (key ? [key] : []));
}
