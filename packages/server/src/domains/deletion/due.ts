import { readSharedNow } from '../../platform/records/clock.ts';
import type { PlatformLog } from '../../platform/records/log.ts';
import type { Reader, Records, Transaction } from '../../platform/records/records.ts';
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
  for await (const id of dueIds(records.read, kind, now)) {
    const begun = records.transact((tx) => begin(tx, id, now));
    await begun.catch((error: unknown) =>
      log.error({ err: error, [kind]: id }, `the ${kind} is due but was not removed; it is tried again`),
    );
  }
}

/** Yields due ids, oldest first, past those that could not be removed. */
async function* dueIds(read: Reader, kind: RemovedKind, now: number): AsyncGenerator<string> {
  let last = { deletion_at: 0, id: '' };
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
