import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createPrivate } from './sqlite/open.ts';

/** Another server uses the data folder. */
export class DataFolderTaken extends Error {}

/** SQLite's code of a lock held by another process. */
const busy = 5;
/** Long enough for a predecessor that is just ending. The whole process waits with it. */
const patienceMs = 1000;

/** Keeps the locks from being collected as garbage, which would release them. */
const held = new Set<DatabaseSync>();

/**
 * Makes this process the only server of a data folder until it ends. The operating system locks an otherwise empty SQLite file,
 * held in an exclusive transaction: a killed process leaves no lock behind.
 */
export function lockDataFolder(
  folder: string,
  { waitMs = patienceMs, name = 'server.lock' } = {},
): { release(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  createPrivate(path);
  const lock = new DatabaseSync(path, { timeout: waitMs });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && 'errcode' in error && error.errcode === busy)) throw error;
    throw new DataFolderTaken(
      'Another server uses this data folder: stop it first, or give this one a folder of its own.',
      { cause: error },
    );
  }
  held.add(lock);
  return {
    release: () => {
      if (held.delete(lock)) lock.close();
    },
  };
}
