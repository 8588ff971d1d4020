import { type Engine, noRows, type RewriteOutcome } from '@ploidy/engine';
import { storedTable } from '@ploidy/formats/tables';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import { eachAlone, rowsOfPages } from '../../../platform/concurrency/each-alone.ts';
import type { Job, JobHandler, JobRun, Jobs } from '../../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { SegmentsTable } from '../../../platform/records/schema-lake.ts';
import type { Remover } from '../../deletion/index.ts';
import { lockProjectIfThere } from '../../files/projects/index.ts';
import type { AnnotationWork } from '../annotations/annotation-work.ts';
import { type MergedFile, presentVersions, replaceSegments } from './catalogue.ts';
import { mergeInputs, visibleSegmentsOf } from './lake-files.ts';
import { type MergeInput, type MergeLimits, nextMerges, segmentsMax, tablesToMerge } from './merge-plan.ts';
import {
  groupsOf,
  type ReadFile,
  read,
  scanWithOrdinals,
  selectPart,
  storedColumns,
} from './segment-rows.ts';

interface CompactionDeps {
  records: Records;
  engine: Engine;
  blobs: Blobs;
  annotationWork: AnnotationWork;
}

/** Kind of the job that merges the files of a project. */
const compactionJob = 'lake.compact';
const attemptsMax = 3;
/** Projects examined per check. */
const projectsMax = 100;

interface ChangedLake {
  project_id: string;
  account_id: string;
  version: number;
  data_version: number;
}

/** Queues a job for each table whose files should be merged, and that has none: processes share those of a project. */
export async function queueCompactions(
  records: Records,
  jobs: Pick<Jobs, 'add' | 'cancel'>,
  limits: MergeLimits,
): Promise<void> {
  const changed = (last: { project_id: string } | undefined): Promise<ChangedLake[]> =>
    records.read
      .selectFrom('lakes')
      .innerJoin('projects', 'projects.id', 'lakes.project_id')
      .select(['project_id', 'version', 'data_version', 'account_id'])
      .whereRef('version', '>', 'compacted_version')
      .where('project_id', '>', last?.project_id ?? '')
      .orderBy('project_id')
      .limit(projectsMax)
      .execute();
  const queueOne = async (lake: ChangedLake): Promise<void> => {
    const wanted = tablesToMerge(await mergeInputs(records.read, lake.project_id), limits);
    await records.transact((tx) => queueTables(tx, jobs, lake, wanted));
  };
  await eachAlone(rowsOfPages(changed, projectsMax), queueOne, {
    failed: 'the files of a project could not be looked at for merging; it is tried again',
    about: ({ project_id: project }) => ({ project }),
  });
}

/** Queues the tables that no job merges. A lake without any is looked at again when it changes. */
export async function queueTables(
  tx: Transaction,
  jobs: Pick<Jobs, 'add'>,
  { project_id: project, account_id: account, version, data_version }: ChangedLake,
  wanted: readonly string[],
): Promise<void> {
  // The lock keeps checks of several processes apart.
  const isThere = await lockProjectIfThere(tx, project);
  const merges = await tx.selectFrom('lake_merges').selectAll().where('project_id', '=', project).execute();
  const byTable = new Map(merges.map((merge) => [merge.table_name, merge]));
  const due = wanted.filter((table) => {
    const { job_id = null, given_up_version = null } = byTable.get(table) ?? {};
    return job_id === null && (given_up_version ?? -1) < data_version;
  });
  for (const table_name of isThere ? due : []) {
    const job_id = await jobs.add(tx, {
      ...{ kind: compactionJob, class: 'background', attemptsMax },
      payload: { projectId: project, table: table_name },
      whose: { account, project, user: '' },
      exclusiveKey: `lake.compact:${project}:${table_name}`,
    });
    await tx
      .insertInto('lake_merges')
      .values({ project_id: project, table_name, job_id, given_up_version: null })
      .onConflict((conflict) => conflict.columns(['project_id', 'table_name']).doUpdateSet({ job_id }))
      .execute();
  }
  if (isThere && (due.length > 0 || merges.some(({ job_id }) => job_id !== null))) return;
  await tx
    .updateTable('lakes')
    .set({ compacted_version: version })
    .where('project_id', '=', project)
    .execute();
}

/** Handles the compaction job: merges until nothing is left to merge. Each step becomes visible by itself. */
export function compactLakes(deps: CompactionDeps, limits: MergeLimits): JobHandler {
  return {
    kind: compactionJob,
    run: (run) => compact(deps, limits, run),
    onExhausted: async (tx, job) => {
      const { data_version } = await presentVersions(tx, job.payload['projectId'] ?? '');
      await settle(tx, job, data_version);
    },
  };
}

async function compact(deps: CompactionDeps, limits: MergeLimits, run: JobRun): Promise<void> {
  const { records } = deps;
  // A job of an earlier version names no table: it merges all.
  const { projectId: project = '', table } = run.job.payload;
  for (;;) {
    run.signal.throwIfAborted();
    const merges = nextMerges(await mergeInputs(records.read, project, table), limits);
    if (merges.length === 0) {
      await records.transact(async (tx) => {
        if (await run.holdsLease(tx)) await settle(tx, run.job, null);
      });
      return;
    }
    await mergeAll(deps, project, merges, run);
  }
}

/** Cancels the merges of a project that is removed. */
export function stopCompaction(jobs: Pick<Jobs, 'cancel'>): NonNullable<Remover['stop']> {
  return async (tx, project) => {
    const stopped = await tx
      .selectFrom('lake_merges')
      .select('job_id')
      .where('project_id', '=', project)
      .where('job_id', 'is not', null)
      .execute();
    for (const { job_id } of stopped) if (job_id !== null) await jobs.cancel(tx, job_id);
    await tx.updateTable('lake_merges').set({ job_id: null }).where('project_id', '=', project).execute();
    return stopped.length;
  };
}

/** Ends the merging of a table. `given_up_version`: version of the data whose files could not be merged. */
async function settle(tx: Transaction, { id, payload }: Job, given_up_version: number | null): Promise<void> {
  await tx
    .updateTable('lake_merges')
    .set({ job_id: null, given_up_version })
    .where('project_id', '=', payload['projectId'] ?? '')
    .where('table_name', '=', payload['table'] ?? '')
    .where('job_id', '=', id)
    .execute();
}

/** Publishes all merges of a step in one transaction. */
async function mergeAll(
  deps: CompactionDeps,
  project: string,
  merges: MergeInput[][],
  run: JobRun,
): Promise<void> {
  const { records, blobs, annotationWork } = deps;
  const merged: MergedFile[] = [];
  const visible = await visibleSegmentsOf(records.read, project, merges.flat());
  await blobs.inScratchFolder(async (outputFolder) => {
    for (const { path, outcome, segments } of await rewrite(
      deps,
      takenUp(merges, visible),
      outputFolder,
      run.signal,
    ))
      merged.push({
        ...{ segments, blob: await blobs.adopt(path, outcome) },
        ...{ rowCount: outcome.rowCount, bounds: outcome.bounds },
      });
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

/**
 * Selects the segments that each merge rewrites: none if its files are gone meanwhile, the oldest of a file
 * with too many.
 */
function takenUp(merges: MergeInput[][], visible: SegmentsTable[]): SegmentsTable[][] {
  const byKey = Map.groupBy(visible, ({ blob_key }) => blob_key);
  return merges
    .map((files) => files.flatMap(({ key }) => byKey.get(key) ?? []).slice(0, segmentsMax))
    .filter((segments) => segments.length > 0);
}

interface Written {
  segments: SegmentsTable[];
  path: string;
  outcome: RewriteOutcome;
}

async function rewrite(
  { engine, blobs }: CompactionDeps,
  merges: SegmentsTable[][],
  outputFolder: string,
  signal: AbortSignal,
): Promise<Written[]> {
  const paths = merges.map((_, index) => `${outputFolder}/${index}.parquet`);
  const sources = [...new Map(merges.flat().map((segment) => [segment.blob_key, segment])).values()];
  const write = (located: string[]): Promise<RewriteOutcome[]> => {
    const byKey = new Map(sources.map(({ blob_key }, index) => [blob_key, located[index] ?? '']));
    const rewrites = merges.map((segments, index) => {
      const files = [...Map.groupBy(segments, (segment) => segment.blob_key)].map(([key, parts]) =>
        partOf(parts, byKey.get(key) ?? ''),
      );
      const table = segments[0]?.table_name ?? '';
      const select = mergedRows(files, table);
      return { select, files: files.map(({ path }) => path), path: paths[index] ?? '', table };
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

/** `segments`: those of one file that are rewritten. */
function partOf(segments: SegmentsTable[], path: string): ReadFile {
  const ordinals = segments.map(({ ordinal }) => ordinal);
  const fileRows = segments[0]?.file_rows ?? null;
  const isPartial = fileRows !== null && segments.reduce((sum, one) => sum + one.row_count, 0) < fileRows;
  return {
    table: segments[0]?.table_name ?? '',
    path,
    ordinal: ordinals[0] ?? 0,
    merged: fileRows !== null,
    ordinals: isPartial ? ordinals : null,
  };
}

/** Builds a SELECT of the rows of files in table order, each with the ordinal of its ingestion. */
function mergedRows(files: ReadFile[], table: string): string {
  const { single, merged, partial } = groupsOf(files);
  const parts = partial.map((file) => selectPart(file, '*', read([file], 'united')));
  if (single.length > 0) parts.push(scanWithOrdinals(single, '*', read(single, 'united')));
  if (merged.length > 0) parts.push(`SELECT * FROM ${read(merged, 'united')}`);
  // A single file is in order already.
  if (files.length === 1) return parts.join();
  const { orderBy } = storedTable(table);
  // Files may be older than a column, or of a later version that has more.
  const all = [noRows(storedColumns(table)), ...parts].join(' UNION ALL BY NAME ');
  return `SELECT * FROM (${all}) ORDER BY ${orderBy.join(', ')}, _ordinal`;
}
