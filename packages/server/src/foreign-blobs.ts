import type { Config } from './config.ts';
import { storeSettings } from './config-blobs.ts';
import { hasUsers } from './domains/setup/index.ts';
import { openBlobs } from './platform/blobs/index.ts';
import type { Records } from './platform/records/index.ts';

/**
 * Throws when records have never been used and the store of bytes has: they are not the ones that know these bytes, and the sweep would remove
 * whatever no row names. That is what a forgotten PLOIDY_DATABASE_URL would do.
 */
export async function refuseForeignBlobs(config: Config, records: Records): Promise<void> {
  if (await hasUsers(records.read)) return;
  const blobs = await openBlobs(storeSettings(config));
  try {
    if (await blobs.isEmpty()) return;
  } finally {
    await blobs.close();
  }
  const used = config.databaseUrl === '' ? 'PLOIDY_DATABASE_URL is not set' : 'PLOIDY_DATABASE_URL is set';
  throw new Error(
    `The records are empty, but the store of files is not: it belongs to other records, and would be cleared. ${used}, ` +
      `and the data folder is ${config.dataFolder}: start with the settings that this data was made with. ` +
      'If the records were lost, restore a backup into an empty folder.',
  );
}
