import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AdminError, refuseFor } from '../../base/admin-error.ts';
import { hasCode } from '../../base/error-code.ts';
import type { Config } from '../../config/config.ts';
import { isUnfilled, type Reader } from '../../platform/records/index.ts';
import { refuseUnfinishedRestore } from './unfinished-restore.ts';

type Place = Pick<Config, 'dataFolder' | 'databaseUrl'>;

/**
 * Throws if there are no records. Opening creates empty ones: with a mistyped data folder each check would
 * pass, and a user would be added to nothing.
 */
export async function refuseMissing({ dataFolder: folder, databaseUrl }: Place): Promise<void> {
  refuseUnfinishedRestore(folder);
  if (!(await isUnfilled({ folder, databaseUrl }).catch(refuseFor))) return;
  if (await holdsBytes(folder)) throw lost(folder);
  const place = databaseUrl === '' ? folder : 'the database of PLOIDY_DATABASE_URL';
  throw new AdminError(
    `There is no service in ${place}: set PLOIDY_DATA_DIR and PLOIDY_DATABASE_URL as the service has them. The first "ploidy serve" creates one.`,
  );
}

/**
 * Throws for bytes without records, before any are made: they are lost, or those of another database are used. The folder and
 * the database stay as they were found. A database that does not answer is left to `openRecords`, which names its setting.
 */
export async function refuseLostRecords({ dataFolder: folder, databaseUrl }: Place): Promise<void> {
  if (!(await holdsBytes(folder))) return;
  if (await isUnfilled({ folder, databaseUrl }).catch(() => false)) throw lost(folder);
}

/** Throws for empty records beside bytes: a start of an earlier version made them. */
export async function refuseEmptyRecords({ dataFolder: folder }: Place, read: Reader): Promise<void> {
  // The first start creates a user.
  const user = await read.selectFrom('users').select('id').limit(1).executeTakeFirst();
  if (user === undefined && (await holdsBytes(folder))) throw lost(folder);
}

/** Reports whether the data folder holds the bytes of a service on the disk. */
async function holdsBytes(folder: string): Promise<boolean> {
  const blobs = join(folder, 'blobs');
  const names = await readdir(blobs).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  for (const name of names.filter((one) => /^[0-9a-f]{2}$/.test(one)))
    if ((await readdir(join(blobs, name))).length > 0) return true;
  return false;
}

function lost(folder: string): AdminError {
  return new AdminError(
    `The records are empty, and ${folder} holds the bytes of others: restore a backup into an empty folder, or name the database of these bytes.`,
  );
}
