import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isKey, isScratchName } from './keys.ts';

/** How many keys `held` is asked about at once. */
export const batchMax = 500;

/**
 * Removes scratch files and unheld blobs last written before `before` (epoch milliseconds). Files that this store cannot have
 * made are left alone. Nothing refers to an old blob anew, so what nobody holds now nobody will.
 */
export async function sweepFolder(
  folder: string,
  scratch: string,
  before: number,
  held: (keys: string[]) => Promise<Set<string>>,
): Promise<{ removed: number }> {
  let removed = await sweepScratch(scratch, before);
  for (const fan of await fansOf(folder)) {
    const keys = await oldFiles(join(folder, fan), before, isKey);
    while (keys.length > 0) {
      const batch = keys.splice(0, batchMax);
      const kept = await held(batch.map(({ name }) => name));
      removed += await removeAll(batch.filter(({ name }) => !kept.has(name)));
    }
  }
  return { removed };
}

/** The folders of the blobs that there are: the first two digits of their keys. */
export async function fansOf(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^[0-9a-f]{2}$/.test(name)).sort();
}

/** Removes scratch files and folders last written before `before` (epoch milliseconds). */
export async function sweepScratch(scratch: string, before: number): Promise<number> {
  return removeAll(await oldFiles(scratch, before, isScratchName));
}

interface Found {
  name: string;
  path: string;
}

async function oldFiles(folder: string, before: number, isOurs: (name: string) => boolean): Promise<Found[]> {
  const found: Found[] = [];
  for (const name of await readdir(folder)) {
    if (!isOurs(name)) continue;
    const path = join(folder, name);
    // It may vanish meanwhile: adopted, removed, or swept by another process.
    const info = await stat(path).catch(() => undefined);
    if (info && info.mtimeMs < before) found.push({ name, path });
  }
  return found;
}

async function removeAll(files: Found[]): Promise<number> {
  for (const { path } of files) await rm(path, { recursive: true, force: true });
  return files.length;
}
