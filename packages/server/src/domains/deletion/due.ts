import type { PlatformLog } from '../../platform/records/log.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { RemovedKind } from './remover.ts';

/** Due deletions that one look takes up. */
const lookRows = 100;

/**
 * Begins the removal of the projects or accounts whose grace period is over; of several processes that look, one does it, so `begin` may
 * find that there is nothing to do. What is wrong with one is logged, and keeps no other one waiting.
 */
export async function removeDue(
  { records, log }: { records: Records; log: PlatformLog },
  kind: RemovedKind,
  begin: (tx: Transaction, id: string, now: number) => Promise<unknown>,
): Promise<void> {
  const now = Date.now();
  const due = await records.read
    .selectFrom(`${kind}s` as const)
    .select('id')
    .where('deletion_at', '<=', now)
    .orderBy('deletion_at')
    .limit(lookRows)
    .execute();
  for (const { id } of due) {
    const begun = records.transact((tx) => begin(tx, id, now));
    await begun.catch((error: unknown) =>
      log.error({ err: error, [kind]: id }, `the ${kind} is due but was not removed; it is tried again`),
    );
  }
}
