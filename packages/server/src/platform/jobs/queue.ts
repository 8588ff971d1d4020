import { sql } from 'kysely';
import { newId } from '../../base/ids.ts';
import { Problem } from '../../base/problem.ts';
import { traceField } from '../log/traced.ts';
import { sharedNow } from '../records/clock.ts';
import { onPostgres } from '../records/columns.ts';
import type { Records, Transaction } from '../records/records.ts';
import type { NewJob } from './jobs.ts';
import { attemptsLimit, sizes, whoseOf } from './rows.ts';
import { charge } from './shares.ts';

/** Announced when a job of a kind waits: the prefix, then the kind. */
export const queuedTopic = 'jobs/queued/';
/** Announced when a job was cancelled: the prefix, then its id. */
export const cancelledTopic = 'jobs/cancelled/';

/** See `Jobs.add`. */
export async function addJob(
  records: Records,
  tx: Transaction,
  added: NewJob<string>,
  { size, ofUserMax }: { size: keyof typeof sizes; ofUserMax: number },
): Promise<string> {
  const job = { ...added, whose: { ...added.whose, user: await personOf(tx, added.whose.user) } };
  if (job.attemptsMax < 1 || job.attemptsMax > attemptsLimit) throw new Error('A job has 1 to 300 attempts.');
  const waiting = job.unlessWaiting && (await waitingJob(tx, job));
  if (waiting) return waiting;
  await requireFew(tx, job, ofUserMax);
  const id = newId();
  await tx
    .insertInto('jobs')
    .values({
      id,
      kind: job.kind,
      state: 'queued',
      payload: JSON.stringify({ ...job.payload, ...traceField() }),
      attempts: 0,
      attempts_max: job.attemptsMax,
      ...{ class: job.class, is_long: sizes[size], exclusive_key: job.exclusiveKey ?? '' },
      ...{ account_id: job.whose.account, project_id: job.whose.project, user_id: job.whose.user },
      waiting_since: sharedNow(records.dialect),
      not_before: job.notBefore ?? 0,
      created_at: Date.now(),
    })
    .execute();
  await records.announce(tx, queuedTopic + job.kind);
  return id;
}

/** Returns the user for whom work counts: several clients of one person have no more turns than one. */
async function personOf(tx: Transaction, user: string): Promise<string> {
  if (user === '') return user;
  const client = await tx.selectFrom('clients').select('made_by').where('id', '=', user).executeTakeFirst();
  return client?.made_by ?? user;
}

/** Problem 429 for a user whose jobs wait in great number: each costs those who ask for their place in the order. */
async function requireFew(
  tx: Transaction,
  { class: name, whose }: NewJob<string>,
  max: number,
): Promise<void> {
  if (whose.user === '' || !Number.isFinite(max)) return;
  const inState = (state: 'queued' | 'running') =>
    tx
      .selectFrom('jobs')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('state', '=', sql.lit(state))
      .where('class', '=', name)
      .where('account_id', '=', whose.account)
      .where('user_id', '=', whose.user)
      .executeTakeFirstOrThrow();
  const counts = [await inState('queued'), await inState('running')];
  if (counts.reduce((sum, { count }) => sum + Number(count), 0) < max) return;
  const message = `${max} pieces of your work wait or run in this account. Wait until some have ended, or cancel some.`;
  throw new Problem(429, 'TOO_MANY_REQUESTS', message, { retryAfterS: 60 });
}

/** Job of the same kind and key that cannot be claimed until `tx` has ended. */
async function waitingJob(
  tx: Transaction,
  { kind, class: name, whose, exclusiveKey = '' }: NewJob<string>,
): Promise<string | undefined> {
  const query = tx
    .selectFrom('jobs')
    .select('id')
    .where('state', '=', sql.lit('queued' as const))
    .where('kind', '=', kind)
    .where('class', '=', name)
    .where('account_id', '=', whose.account)
    .where('project_id', '=', whose.project)
    .where('user_id', '=', whose.user)
    .where('exclusive_key', '=', exclusiveKey)
    .limit(1);
  const row = await (onPostgres(tx) ? query.forShare() : query).executeTakeFirst();
  return row?.id;
}

/** See `Jobs.cancel`. */
export async function cancelJob(records: Records, tx: Transaction, jobId: string): Promise<void> {
  const before = await tx.selectFrom('jobs').select('state').where('id', '=', jobId).executeTakeFirst();
  const row = await tx
    .updateTable('jobs')
    .set({ state: 'cancelled', ended_at: Date.now(), owner: null, lease: null, lease_until: null })
    .where('id', '=', jobId)
    .where('state', 'in', ['queued', 'running'])
    .returningAll()
    .executeTakeFirst();
  if (!row) return;
  if (before?.state === 'running')
    await charge(records.dialect, tx, { class: row.class, whose: whoseOf(row), claimedAt: row.claimed_at });
  await records.announce(tx, cancelledTopic + jobId);
}
