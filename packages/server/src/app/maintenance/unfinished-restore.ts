import { readFileSync, rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { AdminError } from '../../base/admin-error.ts';
import { hasCode } from '../../base/error-code.ts';

const markName = 'restore-unfinished.json';
/** Name of the mark while it is being written, before anything is restored. */
export const unwrittenMark = `${markName}.new`;

/** Restore in progress. */
interface UnfinishedRestore {
  /** Id of the backup. */
  backup: string;
  /** Identity of the restored records. */
  identity: string;
}

/** Reads the unfinished restore of a data folder; `undefined` if there is none. */
export function unfinishedRestore(dataFolder: string): UnfinishedRestore | undefined {
  try {
    return JSON.parse(readFileSync(join(dataFolder, markName), 'utf8')) as UnfinishedRestore;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Throws if the restore of a data folder is unfinished. */
export function refuseUnfinishedRestore(dataFolder: string): void {
  if (unfinishedRestore(dataFolder) === undefined) return;
  throw new AdminError(
    'A restore into this data folder did not come to its end: run "ploidy admin restore" with the same backup again.',
  );
}

/** Marks a data folder atomically. */
export async function markRestore(dataFolder: string, restore: UnfinishedRestore): Promise<void> {
  const temporary = join(dataFolder, unwrittenMark);
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(restore)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, join(dataFolder, markName));
}

export function unmarkRestore(dataFolder: string): void {
  rmSync(join(dataFolder, markName));
}
