import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { JobHandler, JobRun, Jobs } from '../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { RemovalsTable } from '../../platform/records/schema-deletion.ts';
import type { Audit } from '../audit/index.ts';
import { queueRemoval, removalJob } from './removals.ts';
import type { RemovedBatch, RemovedKind, Remover } from './remover.ts';

interface RemovalDeps {
  records: Records;
  blobs: Blobs;
  audit: Audit;
  jobs: Jobs;
  /** Tables in order of removal. */
  removers: readonly Remover[];
}

/** Max. rows per transaction, about: on SQLite all writers wait for it. */
const rowsMax = 200;
/** Pause after all attempts of a removal failed. */
const restMs = 15 * 60_000;

/**
 * Returns the job that removes the content of a project or account. Each step is a transaction that also
 * counts what it removed; bytes are removed after its commit. After a crash the next run continues from the
 * rest.
 */
export function runRemovals(deps: RemovalDeps): JobHandler {
  return {
    kind: removalJob,
    run: (run) => runRemoval(deps, run),
    onExhausted: async (tx, { payload }) => {
      const { kind, id = '' } = payload;
      await queueRemoval(deps.jobs, tx, { kind: kind as RemovedKind, id }, Date.now() + restMs);
    },
  };
}

async function runRemoval(deps: RemovalDeps, run: JobRun): Promise<void> {
  const { kind, id = '' } = run.job.payload;
  const running = deps.records.read.selectFrom('removals').selectAll().where('state', '=', 'running');
  // Projects deleted before their account may have a run of their own; concurrent steps do not conflict.
  const projects =
    kind === 'account'
      ? await running.where('kind', '=', 'project').where('account_id', '=', id).orderBy('id').execute()
      : [];
  for (const project of projects) await removeContent(deps, project, run);
  const removal = await running
    .where('kind', '=', kind as RemovedKind)
    .where('id', '=', id)
    .executeTakeFirst();
  if (removal) await removeContent(deps, removal, run);
}

/** Stops running work, removes table after table, and records the end. */
async function removeContent(deps: RemovalDeps, removal: RemovalsTable, run: JobRun): Promise<void> {
  const removers = deps.removers.filter(({ of }) => of === removal.kind);
  for (const { table, stop } of removers) {
    if (!stop) continue;
    const cancel = async (tx: Transaction): Promise<RemovedBatch> => {
      return { rows: await stop(tx, removal.id, rowsMax), blobs: [] };
    };
    while (await step(deps, removal, run, `${table}Cancelled`, cancel));
  }
  for (const { table, remove } of removers) {
    while (await step(deps, removal, run, table, (tx) => remove(tx, removal.id, rowsMax)));
  }
  await finish(deps, removal, run);
}

/** Runs one bounded step; returns whether it found something to do. */
async function step(
  { records, blobs }: RemovalDeps,
  removal: RemovalsTable,
  run: JobRun,
  counted: string,
  work: (tx: Transaction) => Promise<RemovedBatch>,
): Promise<boolean> {
  const batch = await records.transact(async (tx) => {
    const counts = await lockRemoval(tx, removal, run);
    if (!counts) return undefined;
    const done = await work(tx);
    if (done.rows > 0) {
      await setRemoval(tx, removal, { counts: JSON.stringify(add(counts, counted, done.rows)) });
    }
    return done;
  });
  // A failing store ends this run: a removal is complete once its bytes are gone, without the sweep.
  await blobs.remove(batch?.blobs ?? []);
  return (batch?.rows ?? 0) > 0;
}

async function finish({ records, audit }: RemovalDeps, removal: RemovalsTable, run: JobRun): Promise<void> {
  await records.transact(async (tx) => {
    const counts = await lockRemoval(tx, removal, run);
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

/** Locks the removal for this step and returns its counts; `undefined` once it has ended elsewhere. */
async function lockRemoval(
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
