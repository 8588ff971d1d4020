import { join } from 'node:path';
import { storeSettings } from '../config/blobs.ts';
import type { Config } from '../config/config.ts';
import { Audit } from '../domains/audit/index.ts';
import { Keys } from '../domains/authentication/keys/index.ts';
import { type Blobs, openBlobs } from '../platform/blobs/index.ts';
import { doAll } from '../platform/concurrency/do-all.ts';
import type { Logger } from '../platform/log/log.ts';
import { isUnfilled, openRecords, type Reader, type Records } from '../platform/records/index.ts';
import { openSecrets, type Secrets, type SecretsSettings } from '../platform/secrets/index.ts';
import { refuseEmptyRecords, refuseLostRecords } from './maintenance/lost-records.ts';
import { refuseUnfinishedRestore } from './maintenance/unfinished-restore.ts';

/** Platform that the service and the host commands (`ploidy admin`) share. */
export interface Core {
  records: Records;
  blobs: Blobs;
  secrets: Secrets;
  keys: Keys;
  audit: Audit;
}

/** Returns the location of the master key. */
export function masterKeyFile({ masterKeyFile, dataFolder }: Config): SecretsSettings {
  return masterKeyFile === ''
    ? { path: join(dataFolder, 'secrets', 'master.key'), create: true }
    : { path: masterKeyFile, create: false };
}

/** Opens the core, which `closeCore` closes, and migrates the records. */
export async function openCore(config: Config, log: Logger): Promise<Core> {
  const { dataFolder, databaseUrl, databasePoolSize } = config;
  refuseUnfinishedRestore(dataFolder);
  const masterKey = masterKeyFile(config);
  await refuseLostRecords(config);
  // A new key beside existing records opens nothing and hides that the right one is missing.
  const isNew = databaseUrl !== '' || (await isUnfilled({ folder: dataFolder }));
  const secrets = openSecrets({ ...masterKey, create: masterKey.create && isNew });
  await using opened = new AsyncDisposableStack();
  const records = await openRecords({
    folder: dataFolder,
    databaseUrl,
    connectionsMax: databasePoolSize,
    log,
  });
  opened.defer(() => records.close());
  await refuseEmptyRecords(config, records.read);
  const blobs = await openBlobs(storeSettings(config), records);
  opened.defer(() => blobs.close());
  const keys = await Keys.open(records, secrets);
  opened.move();
  return { records, blobs, secrets, keys, audit: new Audit(records) };
}

export function closeCore({ records, blobs }: Core): Promise<void> {
  return doAll([() => blobs.close(), () => records.close()]);
}

/** Step that creates the note: a backup of older records leaves none. */
export const lastBackupStep = '0040-buckets';

/** Notes a complete backup, in place of the one before. */
export async function noteBackup(
  records: Records,
  { id, madeAt, bytes }: { id: string; madeAt: number; bytes: number },
): Promise<void> {
  await records.transact(async (tx) => {
    await tx.deleteFrom('last_backup').execute();
    await tx.insertInto('last_backup').values({ id, made_at: madeAt, bytes }).execute();
  });
}

/** Returns the time of the last complete backup, epoch milliseconds. */
export async function lastBackupIn(read: Reader): Promise<number | undefined> {
  const row = await read.selectFrom('last_backup').select('made_at').executeTakeFirst();
  return row?.made_at;
}
