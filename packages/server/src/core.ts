import { join } from 'node:path';
import { refuseUnfinishedRestore } from './backup/unfinished-restore.ts';
import type { Config } from './config.ts';
import { storeSettings } from './config-blobs.ts';
import { doAll } from './do-all.ts';
import { Audit } from './domains/audit/index.ts';
import { Keys } from './domains/keys/index.ts';
import { refuseForeignBlobs } from './foreign-blobs.ts';
import type { Logger } from './log.ts';
import { type Blobs, openBlobs } from './platform/blobs/index.ts';
import { openRecords, type Records } from './platform/records/index.ts';
import { openSecrets, type Secrets, type SecretsSettings } from './platform/secrets/index.ts';

/** What the service and the host's commands (`ploidy admin`) share. */
export interface Core {
  records: Records;
  blobs: Blobs;
  secrets: Secrets;
  keys: Keys;
  audit: Audit;
}

/** Where the master key is. */
export function masterKeyFile({ masterKeyFile, dataFolder }: Config): SecretsSettings {
  return masterKeyFile === ''
    ? { path: join(dataFolder, 'secrets', 'master.key'), create: true }
    : { path: masterKeyFile, create: false };
}

/** Opens the core, which `closeCore` closes; brings the records' schema forward. */
export async function openCore(config: Config, log: Logger): Promise<Core> {
  const { dataFolder, databaseUrl, databasePoolSize } = config;
  refuseUnfinishedRestore(dataFolder);
  const secrets = openSecrets(masterKeyFile(config));
  await using opened = new AsyncDisposableStack();
  const records = await openRecords({
    folder: dataFolder,
    databaseUrl,
    connectionsMax: databasePoolSize,
    log,
  });
  opened.defer(() => records.close());
  const blobs = await openBlobs(storeSettings(config));
  opened.defer(() => blobs.close());
  await refuseForeignBlobs(records, blobs, log);
  const keys = await Keys.open(records, secrets);
  opened.move();
  return { records, blobs, secrets, keys, audit: new Audit(records) };
}

export function closeCore({ records, blobs }: Core): Promise<void> {
  return doAll([() => blobs.close(), () => records.close()]);
}
