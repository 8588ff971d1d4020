import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, statSync } from 'node:fs';
import { hasCode } from '../../base/error-code.ts';
import { keyBytes, type MasterKeys, parseKeyFile } from './key-file.ts';
import { placeKeyFile } from './place-key-file.ts';
import type { Secrets } from './secrets.ts';
import { secretsFrom } from './secrets.ts';

export interface SecretsSettings {
  /** File with the master key (key-file.ts), readable by its owner only. */
  path: string;
  /** Make the file when it is missing: right for the data folder, wrong for a file that the operator named. */
  create: boolean;
}

/** Opens the secrets with the master key in a file. */
export function openSecrets(settings: SecretsSettings): Secrets {
  if (settings.create) createOnce(settings.path);
  const { seal, ...more } = readKeys(settings.path);
  return secretsFrom(seal, more);
}

/** Opens the secrets with the text of a key file. */
export function secretsOfKey(text: string): Secrets {
  const { seal, ...more } = parseKeyFile(text.trim());
  return secretsFrom(seal, more);
}

export function readKeys(path: string): MasterKeys {
  let text: string;
  try {
    // Windows has no such modes; there the folder's access list protects the file.
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
      throw new Error(`The master key file ${path} can be read by others: set its mode to 0600.`);
    }
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    throw new Error(`The master key file ${path} is missing: restore it, what was sealed with it needs it.`, {
      cause: error,
    });
  }
  try {
    return parseKeyFile(text);
  } catch (error) {
    const reason = `it must hold ${keyBytes} random bytes in base64 and nothing else`;
    throw new Error(`The master key file ${path} is damaged: ${reason}.`, { cause: error });
  }
}

/** Linking fails when another process was first: one key wins, whole. */
function createOnce(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })) return;
  try {
    placeKeyFile(path, `${randomBytes(keyBytes).toString('base64')}\n`, linkSync);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}
