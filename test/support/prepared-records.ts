import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openSecrets } from '../../packages/server/src/platform/secrets/index.ts';

/** Empty records with the schema of this version, which `test/run.ts` makes once for all files. */
const prepared = process.env['PLOIDY_TEST_RECORDS'];

/** Puts empty records into an empty data folder: copying takes a fiftieth of making them. */
export function prepareSqlite({
  dataFolder,
  databaseUrl,
}: {
  dataFolder: string;
  databaseUrl: string;
}): void {
  const path = join(dataFolder, 'records.sqlite');
  if (prepared === undefined || databaseUrl !== '' || existsSync(path)) return;
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  // A service refuses records without a key: it assumes that the key was lost.
  openSecrets({ path: join(dataFolder, 'secrets', 'master.key'), create: true });
  copyFileSync(prepared, path);
}
