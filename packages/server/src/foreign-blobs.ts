import { hasUsers } from './domains/setup/index.ts';
import { newId } from './ids.ts';
import type { Blobs } from './platform/blobs/index.ts';
import type { Reader, Records, Transaction } from './platform/records/index.ts';
import { isStorageUnavailable } from './problem.ts';

/**
 * Throws when the store of bytes is not that of these records: the sweep would remove whatever no row of these names, or what the rows name
 * would be gone and what is sent now be lost. That is what a forgotten PLOIDY_DATABASE_URL, the bucket of another service or a volume that is
 * not mounted would do. A store says whose it is. One that does not yet is taken, unless the records have one already, or have never been used
 * where it holds bytes.
 */
export async function requireOwnBlobs(records: Records, blobs: Blobs): Promise<void> {
  const { id: own, isMarked } = await identityOf(records);
  const owner = await blobs.owner();
  if (owner !== own) {
    const isEmpty = await blobs.isEmpty();
    if (owner !== undefined && !isEmpty) throw new Error(ofOthers(own));
    if (isMarked) throw new Error(missing(own));
    if (!isEmpty && !(await hasUsers(records.read))) throw new Error(unknownToEmpty);
    await blobs.mark(own);
  }
  if (!isMarked)
    await records.transact((tx) => tx.updateTable('identity').set({ store_marked: 1 }).execute());
}

const advice = 'Start with PLOIDY_DATABASE_URL, PLOIDY_DATA_DIR and PLOIDY_BLOBS as this data was made with.';
const ofOthers = (own: string): string =>
  `The store of files belongs to other records, and would be cleared. ${advice} If a restore took it over by mistake, stop that ` +
  `service, write ${own} into the file or object "owner" of the store, and start again.`;
const unknownToEmpty =
  `The records are empty, but the store of files is not: it belongs to other records, and would be cleared. ${advice} ` +
  'If the records were lost, restore a backup into an empty folder.';
const missing = (own: string): string =>
  `The store of files is not the one that the records know: is its volume mounted? ${advice} If it is the right one, ` +
  `and only its file or object "owner" was lost, write ${own} into it, and start again.`;

/** The same at a start. A store that cannot be reached is asked before it is swept; empty records do not begin without it. */
export async function refuseForeignBlobs(records: Records, blobs: Blobs): Promise<void> {
  try {
    await requireOwnBlobs(records, blobs);
  } catch (error) {
    if (!isStorageUnavailable(error) || !(await hasUsers(records.read))) throw error;
  }
}

async function identityOf(records: Records): Promise<{ id: string; isMarked: boolean }> {
  const known = await readIdentity(records.read);
  if (known) return known;
  return records.transact(async (tx) => {
    await tx
      .insertInto('identity')
      .values({ only: 1, id: newId(), store_marked: 0 })
      .onConflict((conflict) => conflict.column('only').doNothing())
      .execute();
    return (await readIdentity(tx)) ?? Promise.reject(new Error('The identity of the records was not kept.'));
  });
}

async function readIdentity(read: Reader | Transaction) {
  const row = await read.selectFrom('identity').select(['id', 'store_marked']).executeTakeFirst();
  return row && { id: row.id, isMarked: row.store_marked === 1 };
}
