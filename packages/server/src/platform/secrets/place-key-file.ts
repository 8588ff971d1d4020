import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolderSync } from '../blobs/durable.ts';

/**
 * Puts a key file in its place, for its owner only, and makes the folder if necessary. It is written beside the place, and
 * moved there by `move` when it is on the disk. After a power failure the place has its old content, or all of the new.
 */
export function placeKeyFile(
  path: string,
  text: string,
  move: (from: string, to: string) => void = renameSync,
): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(8).toString('hex')}`;
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
    move(temporary, path);
    syncFolderSync(dirname(path));
  } finally {
    closeSync(file);
    rmSync(temporary, { force: true });
  }
}
