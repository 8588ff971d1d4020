import {
  type CheckedStatement,
  type Engine,
  EngineError,
  type QueryOutcome,
  type QueryProgress,
  type QueryTable,
  type QueryTask,
  type TableConditions,
} from '@ploidy/engine';
import { Problem } from '../../base/problem.ts';
import type { BlobInfo, Blobs } from '../../platform/blobs/blobs.ts';
import type { JobRun } from '../../platform/jobs/jobs.ts';
import type { Records } from '../../platform/records/records.ts';
import type { QueriesTable } from '../../platform/records/schema-lake.ts';
import type { Audit } from '../audit/index.ts';
import type { Callers } from '../identity/callers/index.ts';
import {
  attributesOfTables,
  countsMinOf,
  hasRowAccess,
  type Lake,
  maskedAccess,
  type RowAccess,
  type RowRights,
  rowAccessOf,
} from '../lake/index.ts';
import type { RemoteQueries } from './remote/remote-queries.ts';

export interface RunDeps {
  records: Records;
  engine: Engine;
  blobs: Blobs;
  lake: Lake;
  audit: Audit;
  callers: Callers;
  rights: RowRights;
  /** Recomputes cohorts of a project whose data changed: their members are a table. */
  recountCohorts: (project: string, signal: AbortSignal) => Promise<void>;
  /** Absent without a distributed engine. */
  remoteQueries: RemoteQueries | undefined;
  /** Minimum number of patients of a masked answer; 0: any. */
  countsMin: number;
}

/** Query that was accepted, with the rights of then. */
export type AcceptedQuery = Pick<
  QueriesTable,
  | 'id'
  | 'account_id'
  | 'project_id'
  | 'user_id'
  | 'query_text'
  | 'statement'
  | 'tables'
  | 'conditions'
  | 'masked'
  | 'made_with'
  | 'lake_version'
  | 'progress'
>;

/** Form of the rows of a run, and the table of its record. */
interface RunForm {
  table: 'queries' | 'trino_statements';
  format: NonNullable<QueryTask['format']>;
  timestamps?: QueryTask['timestamps'];
  isPacked?: boolean;
  /** Ending of the file of rows. */
  ending: string;
  /** Shorter than the limit of the service, if the client asked for it. */
  runTimeMaxMs?: number;
}

/** Rows of a run, in a file of the scratch space that `adoptRows` or the caller removes. */
export interface Rows {
  outcome: QueryOutcome;
  outputPath: string;
}

const progressEveryMs = 500;

/** Runs an accepted query with the present rights, on the distributed engine if its tables are large. Records its progress. */
export async function runAccepted(
  deps: RunDeps,
  query: AcceptedQuery,
  form: RunForm,
  run: JobRun,
): Promise<Rows> {
  const { engine, lake } = deps;
  const names = JSON.parse(query.tables) as string[];
  const access = await accessOfRun(deps, query);
  const version =
    access && names.includes('cohort')
      ? await versionWithCohorts(deps, query, form, { names, access, run })
      : query.lake_version;
  await keepAccess(deps, query, form, { names, access: access ?? noAccess, version, run });
  if (!access)
    throw new EngineError('SQL', 'The right to read these data was withdrawn before the query ran.');
  const statement = await statementOf(deps, query, names, access);
  const pinned = { id: query.project_id, version, access, conditions: statement.conditions };
  if (query.progress > 0) await beginAgain(deps, query.id, form, run);
  const onProgress = progressOf(deps, query.id, form);
  const outputPath = await deps.blobs.scratchPath(form.ending);
  const { format, timestamps = 'utc', isPacked = false, runTimeMaxMs } = form;
  const limit = runTimeMaxMs === undefined ? {} : { runTimeMaxMs };
  const task = { statement, outputPath, format, timestamps, isPacked, caller: query.user_id, ...limit };
  const work = (tables: QueryTable[]): Promise<QueryOutcome> =>
    engine.query({ ...task, tables }, run.signal, onProgress);
  const remote = { ...limit, query: query.id, text: query.query_text, checked: statement, pinned };
  const outcome =
    (await deps.remoteQueries?.run(
      { ...remote, outputPath, format, timestamps, isPacked },
      run.signal,
      onProgress,
    )) ?? (await lake.withRelations(pinned, statement.tables, work, run.signal));
  return { outcome, outputPath };
}

/** Makes a blob of the rows; their file is gone afterwards in any case. */
export function adoptRows(blobs: Blobs, { outcome, outputPath }: Rows): Promise<BlobInfo> {
  return blobs.adopt(outputPath, outcome).catch(async (error: unknown) => {
    await blobs.discardScratch(outputPath);
    throw error;
  });
}

const noAccess: RowAccess = { real: false, masked: false, countsMin: 0 };

/**
 * Derives the access of the run: rights may have changed while the query waited; undefined without any left. A query accepted
 * as masked stays masked.
 */
async function accessOfRun(deps: RunDeps, query: AcceptedQuery): Promise<RowAccess | undefined> {
  const principal = { userId: query.user_id, via: 'job', keyAccount: query.account_id };
  const caller = await deps.callers.resolve(principal);
  const about = attributesOfTables(query);
  const look = query.masked === 1 ? maskedAccess : rowAccessOf;
  const access = caller && look(caller, about, deps.countsMin);
  return access && hasRowAccess(access) && (query.masked === 1 || access.real !== false) ? access : undefined;
}

/** Records the rows and masks of the run before it reads any, where they differ from those of the acceptance. */
async function keepAccess(
  { records, rights, lake }: RunDeps,
  { id, project_id, made_with }: AcceptedQuery,
  { table }: RunForm,
  { names, access, version, run }: { names: string[]; access: RowAccess; version: number; run: JobRun },
): Promise<void> {
  const present = rights.madeWith(access, names, await lake.ownTables(project_id, version));
  if (present === made_with) return;
  await records.transact(async (tx) => {
    if (!(await run.holdsLease(tx))) return;
    await tx
      .updateTable(table)
      .set({ made_with: present })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .execute();
  });
}

/** Pins the version in which cohorts match the present data, instead of the version of the query's start. */
async function versionWithCohorts(
  { records, lake, recountCohorts }: RunDeps,
  { id, project_id }: AcceptedQuery,
  { table }: RunForm,
  { names, access, run }: { names: string[]; access: RowAccess; run: JobRun },
): Promise<number> {
  await recountCohorts(project_id, run.signal);
  const { version, tables } = await lake.snapshot(project_id, access);
  const gone = names.find((name) => !tables.has(name));
  if (gone !== undefined) throw new EngineError('SQL', `The table ${gone} was removed before the query ran.`);
  await records.transact(async (tx) => {
    if (!(await run.holdsLease(tx))) return;
    await tx
      .updateTable(table)
      .set({ lake_version: version })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .execute();
  });
  return version;
}

/** Returns the statement to run. For masked rows it follows the present setting, not that of the acceptance. */
async function statementOf(
  { engine }: RunDeps,
  query: AcceptedQuery,
  tables: string[],
  access: RowAccess,
): Promise<CheckedStatement> {
  const countsMin = countsMinOf(access);
  if (countsMin === undefined) {
    const conditions = query.conditions && (JSON.parse(query.conditions) as TableConditions);
    return { sql: query.statement, tables, ...(conditions && { conditions }) };
  }
  try {
    return await engine.check(query.query_text, tables, countsMin);
  } catch (error) {
    if (error instanceof Problem && error.status === 400) throw new EngineError('SQL', error.message);
    throw error;
  }
}

/** Records that an interrupted run begins again. */
async function beginAgain({ records }: RunDeps, id: string, { table }: RunForm, run: JobRun): Promise<void> {
  await records.transact(async (tx) => {
    if (!(await run.holdsLease(tx))) return;
    await tx
      .updateTable(table)
      .set({ progress: 0 })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .execute();
  });
}

/** Returns a listener that records the progress, twice a second. Best effort: the next update corrects a lost one. */
function progressOf({ records }: RunDeps, id: string, { table }: RunForm): (progress: QueryProgress) => void {
  let recordedAt = 0;
  return ({ fraction }) => {
    if (fraction === undefined || performance.now() - recordedAt < progressEveryMs) return;
    recordedAt = performance.now();
    const update = records.transact((tx) =>
      tx
        .updateTable(table)
        .set({ progress: fraction })
        .where('id', '=', id)
        .where('progress', '<', fraction)
        .where('state', '=', 'running')
        .execute(),
    );
    update.catch(() => undefined);
  };
}
