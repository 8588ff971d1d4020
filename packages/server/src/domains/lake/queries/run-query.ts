import {
  type CheckedStatement,
  type Engine,
  EngineError,
  type QueryOutcome,
  type QueryProgress,
  type QueryTable,
  type TableConditions,
} from '@ploidy/engine';
import { isStorageFull, Problem } from '../../../base/problem.ts';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import { givenUp } from '../../../platform/jobs/given-up.ts';
import type { Job, JobHandler, JobRun } from '../../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { QueriesTable } from '../../../platform/records/schema-lake.ts';
import { type Audit, onBehalf } from '../../audit/index.ts';
import { addResultFile } from '../../files/index.ts';
import { lockProjectIfThere } from '../../files/projects/index.ts';
import type { Callers } from '../../identity/callers/index.ts';
import type { Lake } from '../lake.ts';
import type { RemoteQueries } from '../remote/remote-queries.ts';
import { countsMinOf, hasRowAccess, maskedAccess, type RowAccess, rowAccessOf } from '../views/row-access.ts';
import { queryJob } from './queries.ts';
import { attributesOfQuery, attributesOfTables } from './query-record.ts';
import { contentTypeOf, engineFormatOf, formatOf } from './result-format.ts';
import { freeResultName } from './result-name.ts';

export interface RunDeps {
  records: Records;
  engine: Engine;
  blobs: Blobs;
  lake: Lake;
  audit: Audit;
  callers: Callers;
  /** Recomputes cohorts of a project whose data changed: their members are a table. */
  recountCohorts: (project: string, signal: AbortSignal) => Promise<void>;
  /** Absent without a distributed engine. */
  remoteQueries: RemoteQueries | undefined;
  /** Minimum number of patients of a masked answer; 0: any. */
  countsMin: number;
}

/** Failure of a run: a stable code and a message for the user. */
interface Failure {
  code: string;
  message: string;
}

/** Query that was accepted, with the rights of then. */
export type AcceptedQuery = Pick<
  QueriesTable,
  'account_id' | 'project_id' | 'user_id' | 'query_text' | 'statement' | 'masked'
> &
  // Statements of the Trino protocol read all files.
  Partial<Pick<QueriesTable, 'conditions'>>;

export const progressEveryMs = 500;

/**
 * Handles the query job: engine → temporary blob → one transaction that publishes state and file together.
 */
export function runQueries(deps: RunDeps, concurrencyMax: number): JobHandler {
  return {
    kind: queryJob,
    concurrencyMax,
    run: (run) => runQuery(deps, run),
    onExhausted: (tx, job, error) => fail(tx, deps.audit, queryId(job), givenUp('query', job, error)),
  };
}

const queryId = (job: Job): string => job.payload['queryId'] ?? '';

async function runQuery(deps: RunDeps, run: JobRun): Promise<void> {
  const { records, audit } = deps;
  const query = await records.read
    .selectFrom('queries')
    .selectAll()
    .where('id', '=', queryId(run.job))
    .where('state', '=', 'running')
    .executeTakeFirst();
  if (!query) return;
  try {
    await execute(deps, query, await accessOfRun(deps, query), run);
  } catch (error) {
    if (run.signal.aborted) throw run.signal.reason;
    const failure = failureOf(error, run.job);
    if (failure === undefined) throw error;
    await records.transact(async (tx) => {
      if (await run.holdsLease(tx)) await fail(tx, audit, query.id, failure);
    });
  }
}

/** Returns a permanent failure; `undefined` if the run should be retried, as after a lost process. */
function failureOf(error: unknown, { attempts, attemptsMax }: Job): Failure | undefined {
  if (isStorageFull(error)) return { code: 'QUERY_DISK', message: error.message };
  // Problems of the cohorts counted first. A transient one is retried and reported after the last attempt.
  if (error instanceof Problem && (error.status < 500 || (error.status === 503 && attempts >= attemptsMax)))
    return { code: error.code, message: error.message };
  if (!(error instanceof EngineError) || error.code === 'WORKER_LOST') return undefined;
  return { code: `QUERY_${error.code}`, message: error.message };
}

/**
 * Derives the access of the run: rights may have changed while the query waited. A query accepted as masked
 * stays masked.
 */
export async function accessOfRun(deps: RunDeps, query: AcceptedQuery): Promise<RowAccess> {
  const principal = { userId: query.user_id, via: 'job', keyAccount: query.account_id };
  const caller = await deps.callers.resolve(principal);
  const about = attributesOfTables(query);
  const look = query.masked === 1 ? maskedAccess : rowAccessOf;
  const access = caller && look(caller, about, deps.countsMin);
  if (!access || !hasRowAccess(access) || (query.masked === 0 && access.real === false)) {
    throw new EngineError('SQL', 'The right to read these data was withdrawn before the query ran.');
  }
  return access;
}

async function execute(deps: RunDeps, query: QueriesTable, access: RowAccess, run: JobRun): Promise<void> {
  const { records, blobs, engine, lake } = deps;
  const names = JSON.parse(query.tables) as string[];
  const statement = await statementOf(deps, query, names, access);
  const fileFormat = formatOf(run.job.payload);
  const format = engineFormatOf(fileFormat);
  let recordedAt = 0;
  const version = names.includes('cohort')
    ? await versionWithCohorts(deps, query, names, access, run)
    : query.lake_version;
  const pinned = { id: query.project_id, version, access, conditions: statement.conditions };
  const onProgress = ({ fraction }: QueryProgress): void => {
    if (fraction === undefined || performance.now() - recordedAt < progressEveryMs) return;
    recordedAt = performance.now();
    void recordProgress(records, query.id, fraction);
  };
  const outputPath = await blobs.scratchPath(fileFormat);
  const work = (tables: QueryTable[]): Promise<QueryOutcome> =>
    engine.query({ statement, tables, outputPath, format, asker: query.user_id }, run.signal, onProgress);
  const remoteRun = {
    ...{ query: query.id, text: query.query_text, checked: statement },
    ...{ pinned, outputPath, format },
  };
  const outcome =
    (await deps.remoteQueries?.run(remoteRun, run.signal, onProgress)) ??
    (await lake.withRelations(pinned, statement.tables, work, run.signal));
  const blob = await blobs.adopt(outputPath, outcome).catch(async (error: unknown) => {
    await blobs.discardScratch(outputPath);
    throw error;
  });
  const kept = await records.transact(async (tx) => {
    if (!(await run.holdsLease(tx))) return false;
    if (!(await lockProjectIfThere(tx, query.project_id))) return false;
    const name = await freeResultName(tx, query.project_id, query.requested_name, fileFormat);
    const done = await tx
      .updateTable('queries')
      .set({
        state: 'succeeded',
        output_file_name: name,
        result_file_id: query.id,
        row_count: outcome.rowCount,
        progress: 1,
        ended_at: Date.now(),
      })
      .where('id', '=', query.id)
      .where('state', '=', 'running')
      .executeTakeFirst();
    if (done.numUpdatedRows === 0n) return false;
    await addResultFile(tx, { query, name, contentType: contentTypeOf(fileFormat), blob });
    await tell(tx, deps.audit, query, { rows: outcome.rowCount, bytes: blob.size });
    return true;
  });
  if (!kept) await removeFreed(blobs, [blob.key]);
}

/** Pins the version in which cohorts match the present data, instead of the version of the query's start. */
async function versionWithCohorts(
  { records, lake, recountCohorts }: RunDeps,
  { id, project_id }: QueriesTable,
  names: string[],
  access: RowAccess,
  run: JobRun,
): Promise<number> {
  await recountCohorts(project_id, run.signal);
  const { version, tables } = await lake.snapshot(project_id, access);
  const gone = names.find((name) => !tables.has(name));
  if (gone !== undefined) throw new EngineError('SQL', `The table ${gone} was removed before the query ran.`);
  await records.transact(async (tx) => {
    if (!(await run.holdsLease(tx))) return;
    await tx
      .updateTable('queries')
      .set({ lake_version: version })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .execute();
  });
  return version;
}

/** Returns the statement to run. For masked rows it follows the present setting, not that of the acceptance. */
export async function statementOf(
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

/** Records the progress. Best effort: a lost update is corrected by the next one. */
async function recordProgress(records: Records, id: string, fraction: number): Promise<void> {
  const update = records.transact((tx) =>
    tx
      .updateTable('queries')
      .set({ progress: fraction })
      .where('id', '=', id)
      .where('progress', '<', fraction)
      .where('state', '=', 'running')
      .execute(),
  );
  await update.catch(() => undefined);
}

async function fail(tx: Transaction, audit: Audit, id: string, failure: Failure): Promise<void> {
  const row = await tx
    .updateTable('queries')
    .set({ state: 'failed', error: JSON.stringify(failure), ended_at: Date.now() })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .returningAll()
    .executeTakeFirst();
  if (row) await tell(tx, audit, row, { failed: failure.code });
}

async function tell(
  tx: Transaction,
  audit: Audit,
  query: QueriesTable,
  details: Record<string, string | number>,
): Promise<void> {
  await audit.append(tx, {
    ...onBehalf(query),
    action: 'lake.run',
    resource: attributesOfQuery(query),
    details,
  });
}
