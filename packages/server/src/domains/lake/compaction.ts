import type { Blobs } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import type { Engine, QueryOutcome } from '../../platform/engine/engine.ts';
import { literal } from '../../platform/engine/worker/quote.ts';
import type { JobHandler, JobRun, Jobs } from '../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { SegmentsTable } from '../../platform/records/schema-lake.ts';
import type { Remover } from '../deletion/index.ts';
import { lockProjectIfThere } from '../projects/index.ts';
import type { AnnotationWork } from './annotation/annotation-work.ts';
import { currentVersion, type MergedFile, replaceSegments } from './catalogue.ts';
import { visibleFiles, visibleSegmentsOf } from './lake-files.ts';
import { type LakeFile, type MergeLimits, nextMerges, rowOrder, segmentsMax } from './merge-plan.ts';

export interface CompactionParts {
  records: Records;
  engine: Engine;
  blobs: Blobs;
  annotationWork: AnnotationWork;
}

/** The kind of the job that merges the files of a project. */
const compactionJob = 'lake.compact';
const attemptsMax = 3;
/** Projects that one look takes up. */
const projectsMax = 100;

/** Queues a job for each project whose files should be merged, and which has none. */
export async function queueCompactions(
  records: Records,
  jobs: Pick<Jobs, 'add' | 'cancel'>,
  limits: MergeLimits,
): Promise<void> {
  const changed = await records.read
    .selectFrom('lakes')
    .select(['project_id', 'version'])
    .whereRef('version', '>', 'compacted_version')
    .where('compaction_job_id', 'is', null)
    .limit(projectsMax)
    .execute();
  for (const { project_id: project, version } of changed) {
    const wanted = nextMerges(await visibleFiles(records.read, project), limits);
    await records.transact(async (tx) => {
      const there = await lockProjectIfThere(tx, project);
      const lake = tx
        .updateTable('lakes')
        .where('project_id', '=', project)
        .where('compaction_job_id', 'is', null);
      if (wanted.length === 0 || !there) {
        await lake.set({ compacted_version: version }).execute();
        return;
      }
      // Taken before there is a job: where another process was faster, its job does it.
      const taken = await lake.set({ compaction_job_id: '' }).executeTakeFirst();
      if (taken.numUpdatedRows === 0n) return;
      const compaction_job_id = await jobs.add(tx, {
        kind: compactionJob,
        payload: { projectId: project },
        attemptsMax,
        queueKey: `lake.compact:${project}`,
        queueMax: 1,
      });
      await tx.updateTable('lakes').set({ compaction_job_id }).where('project_id', '=', project).execute();
    });
  }
}

/** The job: merges, one after the other, until nothing is left to merge. Each becomes visible in a step of its own. */
export function compactLakes(parts: CompactionParts, limits: MergeLimits): JobHandler {
  return {
    kind: compactionJob,
    concurrencyMax: 1,
    run: (run) => compact(parts, limits, run),
    onExhausted: async (tx, job) => {
      // It is tried again when the lake has changed.
      const project = job.payload['projectId'] ?? '';
      await settle(tx, project, job.id, await currentVersion(tx, project));
    },
  };
}

async function compact(parts: CompactionParts, limits: MergeLimits, run: JobRun): Promise<void> {
  const { records } = parts;
  const project = run.job.payload['projectId'] ?? '';
  for (;;) {
    run.signal.throwIfAborted();
    const version = await currentVersion(records.read, project);
    const merges = nextMerges(await visibleFiles(records.read, project), limits);
    if (merges.length === 0) {
      await records.transact(async (tx) => {
        if (await run.holdsLease(tx)) await settle(tx, project, run.job.id, version);
      });
      return;
    }
    await mergeAll(parts, project, merges, run);
  }
}

/** Ends the compaction of a project that is removed. */
export function stopCompaction(jobs: Pick<Jobs, 'cancel'>): NonNullable<Remover['stop']> {
  return async (tx, project) => {
    const running = await tx
      .selectFrom('lakes')
      .select('compaction_job_id as job')
      .where('project_id', '=', project)
      .where('compaction_job_id', 'is not', null)
      .executeTakeFirst();
    if (!running?.job) return 0;
    await tx
      .updateTable('lakes')
      .set({ compaction_job_id: null })
      .where('project_id', '=', project)
      .execute();
    await jobs.cancel(tx, running.job);
    return 1;
  };
}

async function settle(tx: Transaction, project: string, job: string, version: number): Promise<void> {
  await tx
    .updateTable('lakes')
    .set({ compacted_version: version, compaction_job_id: null })
    .where('project_id', '=', project)
    .where('compaction_job_id', '=', job)
    .execute();
}

/** One step: all of the merges become visible together, or none. */
async function mergeAll(
  parts: CompactionParts,
  project: string,
  merges: LakeFile[][],
  run: JobRun,
): Promise<void> {
  const { records, blobs, annotationWork } = parts;
  const merged: MergedFile[] = [];
  const visible = await visibleSegmentsOf(records.read, project, merges.flat());
  await blobs.inScratchFolder(async (outputFolder) => {
    for (const { path, outcome, segments } of await rewrite(
      parts,
      takenUp(merges, visible),
      outputFolder,
      run.signal,
    ))
      merged.push({ segments, blob: await blobs.adopt(path, outcome), rowCount: outcome.rowCount });
  });
  const unused = await records.transact(async (tx) => {
    if (!(await run.holdsLease(tx))) return merged;
    if (!(await lockProjectIfThere(tx, project))) return merged;
    const unused = await replaceSegments(tx, project, merged);
    await annotationWork.request(tx, project);
    return unused;
  });
  await removeFreed(
    blobs,
    unused.map(({ blob }) => blob.key),
  );
}

/** The segments that each merge writes anew; none of a merge whose files are gone meanwhile, and of a file that has too many the oldest. */
function takenUp(merges: LakeFile[][], visible: SegmentsTable[]): SegmentsTable[][] {
  const byKey = Map.groupBy(visible, ({ blob_key }) => blob_key);
  return merges
    .map((files) => files.flatMap(({ key }) => byKey.get(key) ?? []).slice(0, segmentsMax))
    .filter((segments) => segments.length > 0);
}

interface Written {
  segments: SegmentsTable[];
  path: string;
  outcome: QueryOutcome;
}

async function rewrite(
  { engine, blobs }: CompactionParts,
  merges: SegmentsTable[][],
  outputFolder: string,
  signal: AbortSignal,
): Promise<Written[]> {
  const paths = merges.map((_, index) => `${outputFolder}/${index}.parquet`);
  const sources = [...new Map(merges.flat().map((segment) => [segment.blob_key, segment])).values()];
  const write = (located: string[]): Promise<QueryOutcome[]> => {
    const byKey = new Map(sources.map(({ blob_key }, index) => [blob_key, located[index] ?? '']));
    const rewrites = merges.map((segments, index) => {
      const files = [...Map.groupBy(segments, ({ blob_key }) => byKey.get(blob_key) ?? '')];
      return { select: mergedRows(files), files: files.map(([file]) => file), path: paths[index] ?? '' };
    });
    return engine.rewrite({ rewrites, outputFolder }, signal);
  };
  const located = sources.map(({ blob_key, size, sha256 }) => ({ key: blob_key, size, sha256 }));
  const outcomes = await blobs.withLocal(located, write, { signal });
  return merges.map((segments, index) => {
    const [outcome, path] = [outcomes[index], paths[index]];
    const expected = segments.reduce((sum, { row_count }) => sum + row_count, 0);
    if (outcome?.rowCount !== expected || path === undefined)
      throw new Error(`Merged files have ${outcome?.rowCount} rows where the catalogue has ${expected}.`);
    return { segments, path, outcome };
  });
}

/** A SELECT of the rows of segments, by the file that they lie in, in the order of their table, each with the ordinal of its ingestion. */
function mergedRows(files: [path: string, segments: SegmentsTable[]][]): string {
  const parts = files.map(([path, segments]) => {
    const file = `read_parquet([${literal(path)}])`;
    const ordinals = segments.map(({ ordinal }) => ordinal);
    return segments[0]?.file_rows === null
      ? `SELECT *, ${ordinals[0]}::BIGINT AS _ordinal FROM ${file}`
      : `SELECT * FROM ${file} WHERE _ordinal IN (${ordinals.join(', ')})`;
  });
  // One file is in order already.
  if (parts.length === 1) return parts.join();
  const order = rowOrder[files[0]?.[1][0]?.table_name ?? ''] ?? [];
  return `SELECT * FROM (${parts.join(' UNION ALL BY NAME ')}) ORDER BY ${order.join(', ')}, _ordinal`;
}
