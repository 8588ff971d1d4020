import { readFileSync, rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../error-code.ts';

const markName = 'restore-unfinished.json';
/** What a mark is called while it is being written; nothing else has been restored then. */
export const unwrittenMark = `${markName}.new`;

/** A restore that is under way. */
export interface UnfinishedRestore {
  /** The id of the backup. */
  backup: string;
  /** Who the restored records are, for the store of bytes that is theirs; absent when an older version began it. */
  identity?: string;
}

/** What is being restored into a data folder; `undefined` when nothing is. */
export function unfinishedRestore(dataFolder: string): UnfinishedRestore | undefined {
  try {
    return JSON.parse(readFileSync(join(dataFolder, markName), 'utf8')) as UnfinishedRestore;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Throws when a data folder is not whole: the service would take it for a new one and sweep what was restored. */
export function refuseUnfinishedRestore(dataFolder: string): void {
  if (unfinishedRestore(dataFolder) === undefined) return;
  throw new Error(
    'A restore into this data folder did not come to its end: run "ploidy admin restore" with the same backup again.',
  );
}

/** Marks a data folder; a mark that is there is whole. */
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
