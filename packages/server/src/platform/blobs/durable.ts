import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '../../base/error-code.ts';
import { overloaded, storageFull } from '../../base/problem.ts';

/** Windows cannot sync a folder, and need not: its file systems keep names in a journal. */
const syncsFolders = process.platform !== 'win32';

/** Makes the bytes of a file durable (fsync), also those that another process wrote. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  if (syncsFolders) await syncFile(folder);
}

/** Makes the names in a folder durable, blocking: nothing may precede the master key. */
export function syncFolderSync(folder: string): void {
  if (!syncsFolders) return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Renames a synced file to its final place and makes the new name durable. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  try {
    await syncFolder(dirname(to));
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  }
}

/** Removes a file, if it is there, and makes its absence durable. */
export async function removeDurably(path: string): Promise<void> {
  try {
    await rm(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Converts a full disk or quota, or too many open files, to a Problem; other errors remain. */
export function storageProblem(error: unknown): unknown {
  if (hasCode(error, 'ENOSPC', 'EDQUOT')) return storageFull(error);
  return hasCode(error, 'EMFILE', 'ENFILE') ? overloaded(error) : error;
}
