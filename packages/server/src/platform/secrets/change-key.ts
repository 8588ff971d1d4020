import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { formatKeyFile, keyBytes, type MasterKeys } from './key-file.ts';
import { readKeys } from './master-key.ts';
import { placeKeyFile } from './place-key-file.ts';

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

function replace(path: string, keys: MasterKeys): void {
  placeKeyFile(realpathSync(path), formatKeyFile(keys));
}
