import { EngineError } from '@ploidy/engine';
import { isStorageFull, Problem } from '../../base/problem.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import { givenUp } from '../../platform/jobs/given-up.ts';
import type { Job, JobHandler, JobRun } from '../../platform/jobs/jobs.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { QueriesTable } from '../../platform/records/schema-lake.ts';
import { type Audit, onBehalf } from '../audit/index.ts';
import { addResultFile } from '../files/index.ts';
import { lockProjectIfThere } from '../files/projects/index.ts';
import { adoptRows, type RunDeps, runAccepted } from './accepted-query.ts';
import { queryJob } from './queries.ts';
import { attributesOfQuery } from './query-record.ts';
import { contentTypeOf, engineFormatOf, formatOf, timestampsOf } from './result-format.ts';
import { freeResultName } from './result-name.ts';

/** Failure of a run: a stable code and a message for the user. */
interface Failure {
  code: string;
  message: string;
}

/** Handles the query job: engine → temporary blob → one transaction that publishes state and file together. */
export function runQueries(deps: RunDeps): JobHandler {
  return {
    kind: queryJob,
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
    await execute(deps, query, run);
  } catch (error) {
    if (run.signal.aborted) throw run.signal.reason;
    const failure = failureOf(error, run.job);
    if (failure === undefined) throw error;
    run.report({ failed: failure.code });
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

async function execute(deps: RunDeps, query: QueriesTable, run: JobRun): Promise<void> {
  const { records, blobs } = deps;
  const fileFormat = formatOf(run.job.payload);
  const format = engineFormatOf(fileFormat);
  const timestamps = timestampsOf(run.job.payload);
  const form = { table: 'queries', format, timestamps, ending: fileFormat } as const;
  const rows = await runAccepted(deps, query, form, run);
  const { outcome } = rows;
  const blob = await adoptRows(blobs, rows);
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
    const figures = { rows: outcome.rowCount, bytes: blob.size };
    run.report(figures);
    await record(tx, deps.audit, query, figures);
    return true;
  });
  if (!kept) await removeFreed(blobs, [blob.key]);
}

async function fail(tx: Transaction, audit: Audit, id: string, failure: Failure): Promise<void> {
  const row = await tx
    .updateTable('queries')
    .set({ state: 'failed', error: JSON.stringify(failure), ended_at: Date.now() })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .returningAll()
    .executeTakeFirst();
  if (row) await record(tx, audit, row, { failed: failure.code });
}

async function record(
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
