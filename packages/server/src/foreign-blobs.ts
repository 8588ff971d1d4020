import type { Config } from './config.ts';
import { storeSettings } from './config-blobs.ts';
import { hasUsers } from './domains/setup/index.ts';
import { newId } from './ids.ts';
import { type Blobs, openBlobs } from './platform/blobs/index.ts';
import type { Records } from './platform/records/index.ts';
import { isStorageUnavailable } from './problem.ts';

/**
 * Throws when the store of bytes is that of other records: the sweep would remove whatever no row of these names. That is what a forgotten
 * PLOIDY_DATABASE_URL would do, or the bucket of another service. A store says whose it is; one that does not yet is taken, unless it holds
 * bytes and the records have never been used.
 */
export async function requireOwnBlobs(records: Records, blobs: Blobs): Promise<void> {
  const own = await identityOf(records);
  const owner = await blobs.owner();
  if (owner === own) return;
  if (!(await blobs.isEmpty())) {
    if (owner !== undefined) throw new Error(ofOthers);
    if (!(await hasUsers(records.read))) throw new Error(unknownToEmpty);
  }
  await blobs.mark(own);
}

const advice = 'Start with PLOIDY_DATABASE_URL, PLOIDY_DATA_DIR and PLOIDY_BLOBS as this data was made with.';
const ofOthers =
  `The store of files belongs to other records, and would be cleared. ${advice} If the records are those of an older backup ` +
  'of the same service, remove the file or object "owner" of the store, and start again.';
const unknownToEmpty =
  `The records are empty, but the store of files is not: it belongs to other records, and would be cleared. ${advice} ` +
  'If the records were lost, restore a backup into an empty folder.';

/** The same at a start. A store that cannot be reached is asked before it is swept; empty records do not begin without it. */
export async function refuseForeignBlobs(config: Config, records: Records): Promise<void> {
  const blobs = await openBlobs(storeSettings(config));
  try {
    await requireOwnBlobs(records, blobs);
  } catch (error) {
    if (!isStorageUnavailable(error) || !(await hasUsers(records.read))) throw error;
  } finally {
    await blobs.close();
  }
}

async function identityOf(records: Records): Promise<string> {
  const known = await records.read.selectFrom('identity').select('id').executeTakeFirst();
  if (known) return known.id;
  return records.transact(async (tx) => {
    await tx
      .insertInto('identity')
      .values({ only: 1, id: newId() })
      .onConflict((conflict) => conflict.column('only').doNothing())
      .execute();
    return (await tx.selectFrom('identity').select('id').executeTakeFirstOrThrow()).id;
  });
}
