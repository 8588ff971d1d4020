import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { storageFull } from '../../problem.ts';

/** Makes the names in a folder durable (fsync); Windows has no such call and needs none. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
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

/** A full disk or quota as a Problem; other errors stay as they are. */
export function storageProblem(error: unknown): unknown {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return storageFull(error);
}
