import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolderSync } from '../blobs/durable.ts';
import { formatKeyFile, keyBytes, type MasterKeys } from './key-file.ts';
import { readKeys } from './master-key.ts';

/**
 * Puts a new key in front of the present one, which stays in the file until `forgetOlderKeys`: from here on everything is sealed
 * with the new one, and whatever is sealed with either opens. When that has happened before and was not finished, nothing changes.
 * `derived`: what is derived changes too.
 */
export function beginKeyChange(path: string, derived: boolean): 'begun' | 'resumed' {
  const present = readKeys(path);
  if (present.older.length > 0) return 'resumed';
  const seal = randomBytes(keyBytes);
  const derive = derived ? seal : present.derive;
  replace(path, { seal, derive, older: [present.seal] });
  return 'begun';
}

/** To be called when nothing is sealed with an older key any more. */
export function forgetOlderKeys(path: string): void {
  replace(path, { ...readKeys(path), older: [] });
}

/** The old file or the new one, whole, whenever the power fails. */
function replace(path: string, keys: MasterKeys): void {
  const target = realpathSync(path);
  const temporary = `${target}.${randomBytes(8).toString('hex')}`;
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(file, formatKeyFile(keys));
    fsyncSync(file);
    renameSync(temporary, target);
    syncFolderSync(dirname(target));
  } finally {
    closeSync(file);
    rmSync(temporary, { force: true });
  }
}
