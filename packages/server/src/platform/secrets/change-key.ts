import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { formatKeyFile, keyBytes, type MasterKeys, parseKeyFile } from './key-file.ts';
import { readKeys } from './master-key.ts';
import { placeKeyFile } from './place-key-file.ts';

/**
 * Puts a new key in front of the present one, which stays in the file until `forgetOlderKeys`: from here on everything is sealed
 * with the new one, and whatever is sealed with either opens. When that has happened before and was not finished, nothing changes, unless `derived` was not asked for then.
 * `derived`: what is derived changes too.
 */
export function beginKeyChange(path: string, derived: boolean): void {
  const present = readKeys(path);
  const isDerived = present.derive.equals(present.seal);
  if (isChanging(present) && (isDerived || !derived)) return;
  const seal = randomBytes(keyBytes);
  const derive = derived ? seal : present.derive;
  replace(path, { seal, derive, older: [present.seal, ...present.older] });
}

/** Reports whether a change of keys is unfinished, according to a key file: some values may be sealed with an older key. */
export function isUnfinished(keyFile: string): boolean {
  return isChanging(parseKeyFile(keyFile));
}

function isChanging({ older }: MasterKeys): boolean {
  return older.length > 0;
}

/** Removes older keys, once nothing is sealed with them any more. */
export function forgetOlderKeys(path: string): void {
  replace(path, { ...readKeys(path), older: [] });
}

function replace(path: string, keys: MasterKeys): void {
  placeKeyFile(realpathSync(path), formatKeyFile(keys));
}
