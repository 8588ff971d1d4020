import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { JobHandler, JobRun, Jobs } from '../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { RemovalsTable } from '../../platform/records/schema-deletion.ts';
import type { Audit } from '../audit/index.ts';
import { queueRemoval, removalJob } from './removals.ts';
import type { RemovedBatch, RemovedKind, Remover } from './remover.ts';

export interface RemovalParts {
  records: Records;
  blobs: Blobs;
  audit: Audit;
  jobs: Jobs;
  /** In the order in which they remove. */
  removers: readonly Remover[];
}

/** One transaction removes at most about so many rows: on SQLite everybody waits for it. */
const rowsMax = 200;
/** How long a removal rests after all its attempts failed. */
const restMs = 15 * 60_000;
/** Removals at once in this process. */
const concurrencyMax = 2;

/**
 * The job that removes what a project or account held. Each step is a transaction that also counts what it removed; bytes go
 * after its commit. Whatever happens in between, the next run goes on with what is left.
 */
export function runRemovals(parts: RemovalParts): JobHandler {
  return {
    kind: removalJob,
    concurrencyMax,
    run: (run) => runRemoval(parts, run),
    onExhausted: async (tx, { payload }) => {
      const { kind, id = '' } = payload;
      await queueRemoval(parts.jobs, tx, { kind: kind as RemovedKind, id }, Date.now() + restMs);
    },
  };
}

async function runRemoval(parts: RemovalParts, run: JobRun): Promise<void> {
  const { kind, id = '' } = run.job.payload;
  const running = parts.records.read.selectFrom('removals').selectAll().where('state', '=', 'running');
  // Those that were begun on their own account may have a run of their own; each step is right beside it.
  const projects =
    kind === 'account'
      ? await running.where('kind', '=', 'project').where('account_id', '=', id).orderBy('id').execute()
      : [];
  for (const project of projects) await empty(parts, project, run);
  const removal = await running
    .where('kind', '=', kind as RemovedKind)
    .where('id', '=', id)
    .executeTakeFirst();
  if (removal) await empty(parts, removal, run);
}

/** Stops what runs, removes table after table, and tells of the end. */
async function empty(parts: RemovalParts, removal: RemovalsTable, run: JobRun): Promise<void> {
  const removers = parts.removers.filter(({ of }) => of === removal.kind);
  for (const { table, stop } of removers) {
    if (!stop) continue;
    const cancel = async (tx: Transaction): Promise<RemovedBatch> => {
      return { rows: await stop(tx, removal.id, rowsMax), blobs: [] };
    };
    while (await step(parts, removal, run, `${table}Cancelled`, cancel));
  }
  for (const { table, remove } of removers) {
    while (await step(parts, removal, run, table, (tx) => remove(tx, removal.id, rowsMax)));
  }
  await finish(parts, removal, run);
}

/** One bounded step; answers whether it found something to do. */
async function step(
  { records, blobs }: RemovalParts,
  removal: RemovalsTable,
  run: JobRun,
  counted: string,
  work: (tx: Transaction) => Promise<RemovedBatch>,
): Promise<boolean> {
  const batch = await records.transact(async (tx) => {
    const counts = await hold(tx, removal, run);
    if (!counts) return undefined;
    const done = await work(tx);
    if (done.rows > 0) {
      await setRemoval(tx, removal, { counts: JSON.stringify(add(counts, counted, done.rows)) });
    }
    return done;
  });
  // The row went first: a blob without a row is swept should this process die here. What the store does not remove ends this run, unlike
  // elsewhere: a removal tells that it is done when its bytes are gone, and does not leave all of them to the sweep.
  for (const key of batch?.blobs ?? []) await blobs.remove(key);
  return (batch?.rows ?? 0) > 0;
}

async function finish({ records, audit }: RemovalParts, removal: RemovalsTable, run: JobRun): Promise<void> {
  await records.transact(async (tx) => {
    const counts = await hold(tx, removal, run);
    if (!counts) return;
    const { kind, id, account_id: account } = removal;
    await setRemoval(tx, removal, { state: 'done', ended_at: Date.now() });
    await audit.appendFromRemoval(tx, {
      account,
      userId: null,
      via: 'job',
      action: kind === 'account' ? 'accounts.remove' : 'projects.remove',
      resource: { type: kind, id, ...(kind === 'project' && { dataset: id }) },
      outcome: 'done',
      details: counts,
    });
  });
}

/** Locks the removal for this step and answers what it has counted; `undefined` when it has ended elsewhere. */
async function hold(
  tx: Transaction,
  removal: RemovalsTable,
  run: JobRun,
): Promise<Record<string, number> | undefined> {
  if (run.signal.aborted) throw run.signal.reason;
  if (!(await run.holdsLease(tx))) throw new Error('The lease of the removal was lost.');
  const row = await tx
    .updateTable('removals')
    .set({ state: 'running' })
    .where('kind', '=', removal.kind)
    .where('id', '=', removal.id)
    .where('state', '=', 'running')
    .returning('counts')
    .executeTakeFirst();
  return row && (JSON.parse(row.counts) as Record<string, number>);
}

async function setRemoval(
  tx: Transaction,
  { kind, id }: RemovalsTable,
  change: Partial<Pick<RemovalsTable, 'state' | 'counts' | 'ended_at'>>,
): Promise<void> {
  await tx.updateTable('removals').set(change).where('kind', '=', kind).where('id', '=', id).execute();
}

function add(counts: Record<string, number>, name: string, rows: number): Record<string, number> {
  return { ...counts, [name]: (counts[name] ?? 0) + rows };
}
