import { sql } from 'kysely';
import { newId } from '../../base/ids.ts';
import { onPostgres } from '../records/columns.ts';
import type { Records, Transaction } from '../records/records.ts';
import { presentTurn } from './claim.ts';
import type { NewJob } from './jobs.ts';
import { attemptsMost } from './rows.ts';

/** Announced when a job of a kind waits: the prefix, then the kind. */
export const queuedTopic = 'jobs/queued/';
/** Announced when a job was cancelled: the prefix, then its id. */
export const cancelledTopic = 'jobs/cancelled/';

/** See `Jobs.add`. */
export async function addJob(records: Records, tx: Transaction, job: NewJob): Promise<string> {
  if (job.queueMax !== undefined && job.queueKey === undefined)
    throw new Error('A queueMax needs a queueKey.');
  if (job.shareMax !== undefined && job.shareKey === undefined)
    throw new Error('A shareMax needs a shareKey.');
  if (job.attemptsMax < 1 || job.attemptsMax > attemptsMost) throw new Error('A job has 1 to 300 attempts.');
  const waiting = job.unlessWaiting && (await waitingJob(tx, job));
  if (waiting) return waiting;
  const id = newId();
  await tx
    .insertInto('jobs')
    .values({
      id,
      kind: job.kind,
      state: 'queued',
      payload: JSON.stringify(job.payload),
      attempts: 0,
      attempts_max: job.attemptsMax,
      queue_key: job.queueKey ?? '',
      queue_max: job.queueMax ?? null,
      share_key: job.shareKey ?? '',
      share_max: job.shareMax ?? null,
      turn: presentTurn(job.kind),
      not_before: job.notBefore ?? 0,
      created_at: Date.now(),
    })
    .execute();
  await records.announce(tx, queuedTopic + job.kind);
  return id;
}

/** A job of the same kind and key that nobody takes until `tx` has ended. */
async function waitingJob(tx: Transaction, { kind, queueKey = '' }: NewJob): Promise<string | undefined> {
  const query = tx
    .selectFrom('jobs')
    .select('id')
    .where('state', '=', sql.lit('queued' as const))
    .where('kind', '=', kind)
    .where('queue_key', '=', queueKey)
    .limit(1);
  const row = await (onPostgres(tx) ? query.forShare() : query).executeTakeFirst();
  return row?.id;
}

/** See `Jobs.cancel`. */
export async function cancelJob(records: Records, tx: Transaction, jobId: string): Promise<void> {
  const result = await tx
    .updateTable('jobs')
    .set({ state: 'cancelled', ended_at: Date.now(), owner: null, lease: null, lease_until: null })
    .where('id', '=', jobId)
    .where('state', 'in', ['queued', 'running'])
    .executeTakeFirst();
  if (result.numUpdatedRows > 0n) await records.announce(tx, cancelledTopic + jobId);
}
