import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import { givenUp } from '../../../platform/jobs/given-up.ts';
import type { JobHandler, JobRun } from '../../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { TrinoStatementsTable } from '../../../platform/records/schema-lake.ts';
import { onBehalf } from '../../audit/index.ts';
import { lockProjectIfThere } from '../../files/projects/index.ts';
import { attributesOfTables } from '../../lake/index.ts';
import { type AcceptedQuery, adoptRows, type RunDeps, runAccepted } from '../../queries/index.ts';
import { type Failure, failureOf } from './failure.ts';
import { encoding } from './segments.ts';

/** Kind of the job that runs a statement. */
export const statementJob = 'lake.statement';
/** Prefix of the topics that announce a change of a statement. */
export const statementTopic = 'statement:';

/** Statement over the tables of a project. */
type Running = TrinoStatementsTable & AcceptedQuery;

/** Handles the job of a statement: engine → blob of lines → state, in one transaction. */
export function runStatements(deps: RunDeps): JobHandler {
  return {
    kind: statementJob,
    run: (run) => runStatement(deps, run),
    onExhausted: async (tx, job, error) => {
      const { message } = givenUp('query', job, error);
      await endAsFailed(deps, tx, job.payload['statementId'] ?? '', {
        name: 'GENERIC_INTERNAL_ERROR',
        message,
      });
    },
  };
}

async function runStatement(deps: RunDeps, run: JobRun): Promise<void> {
  const { records } = deps;
  const row = await records.transact(async (tx) => {
    await tx
      .updateTable('trino_statements')
      .set({ started_at: Date.now() })
      .where('id', '=', run.job.payload['statementId'] ?? '')
      .where('started_at', 'is', null)
      .execute();
    return tx
      .selectFrom('trino_statements')
      .selectAll()
      .where('id', '=', run.job.payload['statementId'] ?? '')
      .where('state', '=', 'running')
      .executeTakeFirst();
  });
  if (!row || row.account_id === null || row.project_id === null) return;
  const statement: Running = { ...row, account_id: row.account_id, project_id: row.project_id };
  try {
    await execute(deps, statement, run);
  } catch (error) {
    if (run.signal.aborted) throw run.signal.reason;
    const failure = failureOf(error);
    if (!failure || failure.name === 'GENERIC_INTERNAL_ERROR') throw error;
    await records.transact(async (tx) => {
      run.report({ failed: failure.name });
      if (await run.holdsLease(tx)) await endAsFailed(deps, tx, row.id, failure);
    });
  }
}

async function execute(deps: RunDeps, row: Running, run: JobRun): Promise<void> {
  const { records, blobs } = deps;
  const left = row.deadline_at === null ? {} : { runTimeMaxMs: Math.max(1, row.deadline_at - Date.now()) };
  const isPacked = run.job.payload['encoding'] === encoding;
  const form = { table: 'trino_statements', format: 'trino', ending: 'trino', isPacked, ...left } as const;
  const rows = await runAccepted(deps, row, form, run);
  const { outcome, outputPath } = rows;
  const blob = outcome.rowCount === 0 ? undefined : await adoptRows(blobs, rows);
  if (!blob) await blobs.discardScratch(outputPath);
  const kept = await records.transact(async (tx) => {
    if (!(await run.holdsLease(tx)) || !(await lockProjectIfThere(tx, row.project_id))) return false;
    const end = {
      ...({ state: 'succeeded', progress: 1, ended_at: Date.now(), row_count: outcome.rowCount } as const),
      ...{ blob_key: blob?.key ?? null, size: blob?.size ?? 0, sha256: blob?.sha256 ?? null },
      answer: JSON.stringify({ columns: outcome.columns ?? [], segments: outcome.segments }),
    };
    if (!(await endStatement(records, tx, row.id, end))) return false;
    const figures = { rows: outcome.rowCount, bytes: outcome.size };
    run.report(figures);
    await record(deps, tx, row, figures);
    return true;
  });
  if (!kept && blob) await removeFreed(blobs, [blob.key]);
}

/** Ends a running statement and wakes its client; returns false if it has ended already. */
export async function endStatement(
  records: Records,
  tx: Transaction,
  id: string,
  end: Partial<TrinoStatementsTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('trino_statements')
    .set(end)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await records.announce(tx, `${statementTopic}${id}`);
  return true;
}

async function endAsFailed(deps: RunDeps, tx: Transaction, id: string, failure: Failure): Promise<void> {
  const row = await tx.selectFrom('trino_statements').selectAll().where('id', '=', id).executeTakeFirst();
  const end = { state: 'failed', error: JSON.stringify(failure), ended_at: Date.now() } as const;
  if (row && (await endStatement(deps.records, tx, id, end)))
    await record(deps, tx, row, { failed: failure.name });
}

/** Records the end of a run in the audit log. */
async function record(
  { audit }: RunDeps,
  tx: Transaction,
  row: TrinoStatementsTable,
  details: Record<string, string | number>,
): Promise<void> {
  const about = { account_id: row.account_id ?? '', project_id: row.project_id ?? '' };
  await audit.append(tx, {
    ...onBehalf({ ...about, user_id: row.user_id }),
    action: 'lake.run',
    resource: { ...attributesOfTables(about), id: row.id },
    details: { door: 'trino', ...details },
  });
}
