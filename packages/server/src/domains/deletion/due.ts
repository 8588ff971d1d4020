import { sql } from 'kysely';
import { eachAlone } from '../../platform/concurrency/each-alone.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { readSharedNow } from '../../platform/records/clock.ts';
import type { PlatformLog } from '../../platform/records/log.ts';
import type { Reader, Records, Transaction } from '../../platform/records/records.ts';
import { queueIfLost } from './removals.ts';
import type { RemovedKind } from './remover.ts';

/** Ids per read. */
const idsMax = 100;

/**
 * Begins the removal of projects or accounts whose grace period is over. Several processes may run it: one
 * removes, and `begin` may find nothing to do. A failure is logged and delays no other removal.
 */
export async function removeDue(
  { records, log }: { records: Records; log: PlatformLog },
  kind: RemovedKind,
  begin: (tx: Transaction, id: string, now: number) => Promise<unknown>,
): Promise<void> {
  const now = await readSharedNow(records.dialect, records.read);
  await eachAlone(dueIds(records.read, kind, now), (id) => records.transact((tx) => begin(tx, id, now)), {
    log,
    failed: `the ${kind} is due but was not removed; it is tried again`,
    about: (id) => ({ [kind]: id }),
  });
}

/**
 * Queues the removals that are running without a job: one whose row could not be read, or whose handler threw, ended and left nothing
 * behind that would go on.
 */
export async function queueLostRemovals(records: Records, jobs: Pick<Jobs, 'add'>): Promise<void> {
  const running = await records.read
    .selectFrom('removals')
    .select(['kind', 'id', 'account_id'])
    // A literal, which the partial index asks for.
    .where('state', '=', sql.lit('running' as const))
    .execute();
  const accounts = new Set(running.flatMap(({ kind, id }) => (kind === 'account' ? [id] : [])));
  // Those of projects that were removed with their account are done by its job.
  const own = running.filter(({ kind, account_id }) => kind === 'account' || !accounts.has(account_id));
  await eachAlone(own, (removed) => records.transact((tx) => queueIfLost(jobs, tx, removed)), {
    failed: 'a removal without a job could not be queued; it is tried again',
    about: ({ kind, id }) => ({ [kind]: id }),
  });
}

/** Yields due ids, oldest first, past those that could not be removed. */
async function* dueIds(read: Reader, kind: RemovedKind, now: number): AsyncGenerator<string> {
  let last = { deletion_at: Number.MIN_SAFE_INTEGER, id: '' };
  for (;;) {
    const rows = await read
      .selectFrom(`${kind}s` as const)
      .select(['id', 'deletion_at'])
      .where('deletion_at', '<=', now)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('deletion_at', 'id'), '>', tuple(last.deletion_at, last.id)),
      )
      .orderBy('deletion_at')
      .orderBy('id')
      .limit(idsMax)
      .$narrowType<{ deletion_at: number }>()
      .execute();
    for (const { id } of rows) yield id;
    const end = rows.at(-1);
    if (!end || rows.length < idsMax) return;
    last = end;
  }
}
