/** A copy of the frozen data of a release, in a folder and a database of a test's own. */
import { mkdirSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { newFolder, type Settings } from '../../backup/operator.ts';
import { startPostgres } from '../../support/postgres.ts';
import { place } from './archive.ts';
import { load } from './postgres-dump.ts';
import type { Frozen } from './release.ts';

/** Places the data; answers the settings that lead to it. */
export async function dataOf(
  context: TestContext,
  { files }: Frozen,
  store: 'sqlite' | 'postgres',
): Promise<Settings> {
  const folder = newFolder(context);
  mkdirSync(folder, { mode: 0o700 });
  place(files, 'data/', folder);
  if (store === 'sqlite') return { PLOIDY_DATA_DIR: folder };
  const database = await startPostgres();
  context.after(() => database.stop());
  await load(database.url, String(files.get('database.sql')));
  return { PLOIDY_DATA_DIR: folder, PLOIDY_DATABASE_URL: database.url };
}
