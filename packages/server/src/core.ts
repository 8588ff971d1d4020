import { join } from 'node:path';
import { refuseUnfinishedRestore } from './backup/unfinished-restore.ts';
import type { Config } from './config.ts';
import { Audit } from './domains/audit/index.ts';
import { Keys } from './domains/keys/index.ts';
import { refuseForeignBlobs } from './foreign-blobs.ts';
import type { Logger } from './log.ts';
import { openRecords, type Records } from './platform/records/index.ts';
import { openSecrets, type Secrets, type SecretsSettings } from './platform/secrets/index.ts';

/** What the service and the host's commands (`ploidy admin`) share: records, secrets, keys, audit. */
export interface Core {
  records: Records;
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

/** Opens the core; brings the records' schema forward. */
export async function openCore(config: Config, log: Logger): Promise<Core> {
  const { dataFolder, databaseUrl, databasePoolSize } = config;
  refuseUnfinishedRestore(dataFolder);
  const secrets = openSecrets(masterKeyFile(config));
  const records = await openRecords({
    folder: dataFolder,
    databaseUrl,
    connectionsMax: databasePoolSize,
    log,
  });
  try {
    await refuseForeignBlobs(config, records);
    return { records, secrets, keys: await Keys.open(records, secrets), audit: new Audit(records) };
  } catch (error) {
    await records.close();
    throw error;
  }
}
