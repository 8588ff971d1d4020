import { someNamed } from './blob-holders.ts';
import { hasUsers } from './domains/setup/index.ts';
import { newId } from './ids.ts';
import { inParallel } from './in-parallel.ts';
import type { Logger } from './log.ts';
import type { Blobs } from './platform/blobs/index.ts';
import type { Reader, Records, Transaction } from './platform/records/index.ts';
import { isStorageUnavailable } from './problem.ts';

/** The store is not that of these records, and only a person can tell what is right. */
class ForeignBlobs extends Error {}

/** What is removed from a store that was taken as it was found stays as long: who took it can still be wrong. */
const takenHoldMs = 86_400_000;
/** So many of the blobs that rows name are looked for, of each table. */
const looksOfEachTable = 20;
const looksAtOnce = 16;

/**
 * Throws when the store of bytes is not that of these records: the sweep would remove whatever no row of these names, or what the rows name
 * would be gone and what is sent now be lost. That is what a forgotten PLOIDY_DATABASE_URL, the bucket of another service or a volume that is
 * not mounted would do. A store says whose it is. One that does not yet is taken when most of what the rows name is in it; records that name
 * nothing take an empty one only. What somebody wrote into it by hand is taken at its word. Answers whether it took one with bytes.
 */
export async function requireOwnBlobs(records: Records, blobs: Blobs): Promise<boolean> {
  const { id: own, isMarked } = await identityOf(records);
  const owner = await blobs.owner();
  if (owner === own && isMarked) return false;
  const isSaid = owner === byHandOf(own);
  const isEmpty = !isSaid && (await blobs.isEmpty());
  if (owner !== own && !isSaid) {
    if (owner !== undefined) throw new ForeignBlobs(ofOthers(own));
    if (isMarked) throw new ForeignBlobs(missing(own));
    await requireNamed(records.read, blobs, { own, isEmpty });
  }
  if (!isEmpty) await blobs.holdFor(takenHoldMs);
  if (owner !== own) await blobs.mark(own);
  await records.transact((tx) => tx.updateTable('identity').set({ store_marked: 1 }).execute());
  return !isEmpty;
}

/** What people write for a mark: they can be wrong, so it is told from one of our own, and nothing is removed at first. */
const byHandOf = (own: string): string => `${own}+`;

async function requireNamed(
  read: Reader,
  blobs: Blobs,
  store: { own: string; isEmpty: boolean },
): Promise<void> {
  const keys = await someNamed(read, looksOfEachTable);
  if (keys.length === 0) {
    if (store.isEmpty) return;
    throw new ForeignBlobs((await hasUsers(read)) ? unnamed(store.own) : unknownToEmpty);
  }
  let found = 0;
  await inParallel(keys, looksAtOnce, async (key) => {
    if ((await blobs.sizeOf(key)) !== undefined) found += 1;
  });
  if (found * 2 < keys.length) throw new ForeignBlobs(missing(store.own));
}

const advice = 'Start with PLOIDY_DATABASE_URL, PLOIDY_DATA_DIR and PLOIDY_BLOBS as this data was made with.';
const ofOthers = (own: string): string =>
  `The store of files belongs to other records, and would be cleared. ${advice} If a restore took it over by mistake, stop that ` +
  `service, write ${byHandOf(own)} into the file or object "owner" of the store, and start again.`;
const unknownToEmpty =
  `The records are empty, but the store of files is not: it belongs to other records, and would be cleared. ${advice} ` +
  'If the records were lost, restore a backup into an empty folder.';
const missing = (own: string): string =>
  `The store of files is not the one that the records know: is its volume mounted? ${advice} ${byHand(own)}`;
const unnamed = (own: string): string =>
  `The records name no file, but the store of files is not empty: it may belong to other records, and would be cleared. ${advice} ` +
  byHand(own);
const byHand = (own: string): string =>
  `If it is the right one for certain, write ${byHandOf(own)} into its file or object "owner", and start again.`;

/** The same at a start. A store that cannot be reached is asked later (`foreignBlobsWatch`); empty records do not begin without it. */
export async function refuseForeignBlobs(records: Records, blobs: Blobs, log: Logger): Promise<void> {
  try {
    await takeOwnBlobs(records, blobs, log);
  } catch (error) {
    if (!isStorageUnavailable(error) || !(await hasUsers(records.read))) throw error;
  }
}

/** To be called every few seconds: asks until the store has answered once. `end` is called when it is not that of these records. */
export function foreignBlobsWatch(
  { records, blobs, log }: { records: Records; blobs: Blobs; log: Logger },
  end: (error: Error) => void,
): () => Promise<void> {
  let hasAnswered = false;
  return async () => {
    if (hasAnswered) return;
    try {
      await takeOwnBlobs(records, blobs, log);
    } catch (error) {
      if (isStorageUnavailable(error)) return;
      if (!(error instanceof ForeignBlobs)) throw error;
      end(error);
    }
    hasAnswered = true;
  };
}

async function takeOwnBlobs(records: Records, blobs: Blobs, log: Logger): Promise<void> {
  if (await requireOwnBlobs(records, blobs))
    log.warn('the store of files did not say whose it is: it is that of these records from now on');
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
