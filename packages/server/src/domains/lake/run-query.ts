import type { Blobs } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import {
  type CheckedStatement,
  type Engine,
  EngineError,
  type QueryProgress,
} from '../../platform/engine/engine.ts';
import { givenUp } from '../../platform/jobs/given-up.ts';
import type { Job, JobHandler, JobRun } from '../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { QueriesTable } from '../../platform/records/schema-lake.ts';
import { isStorageFull, Problem } from '../../problem.ts';
import { type Audit, onBehalf } from '../audit/index.ts';
import type { Callers } from '../callers/index.ts';
import { addResultFile } from '../files/index.ts';
import { lockProjectIfThere } from '../projects/index.ts';
import type { EarlyRuns } from './early-runs.ts';
import type { Lake } from './lake.ts';
import { queryJob } from './queries.ts';
import { attributesOfQuery, attributesOfTables } from './query-record.ts';
import { freeResultName } from './result-name.ts';
import { maskedSight, type Sight, seesRows, sightOf } from './sight.ts';
import { StatementRun } from './statement-run.ts';

export interface RunParts {
  records: Records;
  engine: Engine;
  blobs: Blobs;
  lake: Lake;
  audit: Audit;
  callers: Callers;
  earlyRuns: EarlyRuns;
  /** Counts the cohorts of a project again where its data have changed: their members are a table here. */
  freshenCohorts: (project: string, signal: AbortSignal) => Promise<void>;
  /** Smallest number of patients that masked answers tell of; 0: any. */
  countsMin: number;
}

/** What the run tells of its failure: a stable code and words for the user. */
interface Failure {
  code: string;
  message: string;
}

const progressEveryMs = 500;

/** The job that runs a query: engine → temporary blob → one transaction that makes state and file visible together. */
export function runQueries(parts: RunParts, concurrencyMax: number): JobHandler {
  return {
    kind: queryJob,
    concurrencyMax,
    run: (run) => runQuery(parts, run),
    onExhausted: (tx, job, error) => fail(tx, parts.audit, queryId(job), givenUp('query', job, error)),
  };
}

const queryId = (job: Job): string => job.payload['queryId'] ?? '';

async function runQuery(parts: RunParts, run: JobRun): Promise<void> {
  const { records, audit } = parts;
  const query = await records.read
    .selectFrom('queries')
    .selectAll()
    .where('id', '=', queryId(run.job))
    .where('state', '=', 'running')
    .executeTakeFirst();
  if (!query) return;
  try {
    await execute(parts, query, await sightOfRun(parts, query), run);
  } catch (error) {
    if (run.signal.aborted) throw run.signal.reason;
    const failure = failureOf(error, run.job);
    if (failure === undefined) throw error;
    await records.transact(async (tx) => {
      if (await run.holdsLease(tx)) await fail(tx, audit, query.id, failure);
    });
  } finally {
    parts.earlyRuns.drop(query.id);
  }
}

/** What is told of an end that another attempt would only repeat; nothing when it should be tried again, as after a lost process. */
function failureOf(error: unknown, { attempts, attemptsMax }: Job): Failure | undefined {
  if (isStorageFull(error)) return { code: 'QUERY_DISK', message: error.message };
  // Of the cohorts that it counts first. What passes is tried again, and told in its own words in the end.
  if (error instanceof Problem && (error.status < 500 || (error.status === 503 && attempts >= attemptsMax)))
    return { code: error.code, message: error.message };
  if (!(error instanceof EngineError) || error.code === 'WORKER_LOST') return undefined;
  return { code: `QUERY_${error.code}`, message: error.message };
}

/** Rights may have changed while the query waited: it sees what its user may see now, and nothing as it is if it did not then. */
async function sightOfRun(parts: RunParts, query: QueriesTable): Promise<Sight> {
  const principal = { userId: query.user_id, via: 'job', keyAccount: query.account_id };
  const caller = await parts.callers.resolve(principal);
  const about = attributesOfTables(query);
  const look = query.masked === 1 ? maskedSight : sightOf;
  const sight = caller && look(caller, about, parts.countsMin);
  if (!sight || !seesRows(sight) || (query.masked === 0 && sight.real === false)) {
    throw new EngineError('SQL', 'The right to read this data was withdrawn before the query ran.');
  }
  return sight;
}

async function execute(parts: RunParts, query: QueriesTable, sight: Sight, run: JobRun): Promise<void> {
  const { records, blobs } = parts;
  const names = JSON.parse(query.tables) as string[];
  const statement = await statementOf(parts, query, names, sight);
  let toldAt = 0;
  const version = names.includes('cohort')
    ? await versionWithCohorts(parts, query, names, sight, run)
    : query.lake_version;
  const pinned = { id: query.project_id, version, sight };
  const onProgress = ({ fraction }: QueryProgress): void => {
    if (fraction === undefined || performance.now() - toldAt < progressEveryMs) return;
    toldAt = performance.now();
    void tellProgress(records, query.id, fraction);
  };
  const plan = { pinned, statement };
  const { outcome, outputPath } = await (
    parts.earlyRuns.take(query.id, plan) ?? new StatementRun(parts, plan)
  ).begin(run.signal, onProgress);
  const blob = await blobs.adopt(outputPath, outcome).catch(async (error: unknown) => {
    await blobs.discardScratch(outputPath);
    throw error;
  });
  const kept = await records.transact(async (tx) => {
    if (!(await run.holdsLease(tx))) return false;
    if (!(await lockProjectIfThere(tx, query.project_id))) return false;
    const name = await freeResultName(tx, query.project_id, query.requested_name);
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
    await addResultFile(tx, { query, name, blob });
    await tell(tx, parts.audit, query, { rows: outcome.rowCount, bytes: blob.size });
    return true;
  });
  if (!kept) await removeFreed(blobs, [blob.key]);
}

/** The version in which the cohorts are those of the present data. The query pins it instead of that of its beginning. */
async function versionWithCohorts(
  { records, lake, freshenCohorts }: RunParts,
  { id, project_id }: QueriesTable,
  names: string[],
  sight: Sight,
  run: JobRun,
): Promise<number> {
  await freshenCohorts(project_id, run.signal);
  const { version, tableNames } = await lake.snapshot(project_id, sight);
  const gone = names.find((name) => !tableNames.includes(name));
  if (gone !== undefined)
    throw new EngineError('SQL', `The table ${gone} went before the query had its turn.`);
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

/** The text that runs. Small counts are left out as the setting is now, whatever it was when the query was accepted. */
async function statementOf(
  { engine }: RunParts,
  query: QueriesTable,
  tables: string[],
  { countsMin }: Sight,
): Promise<CheckedStatement> {
  if (countsMin === 0) return { sql: query.statement, tables };
  try {
    return await engine.check(query.query_text, tables, countsMin);
  } catch (error) {
    if (error instanceof Problem && error.status === 400) throw new EngineError('SQL', error.message);
    throw error;
  }
}

/** A courtesy to whoever watches: what the records do not take now, the next one tells. */
async function tellProgress(records: Records, id: string, fraction: number): Promise<void> {
  const told = records.transact((tx) =>
    tx
      .updateTable('queries')
      .set({ progress: fraction })
      .where('id', '=', id)
      .where('progress', '<', fraction)
      .where('state', '=', 'running')
      .execute(),
  );
  await told.catch(() => undefined);
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
