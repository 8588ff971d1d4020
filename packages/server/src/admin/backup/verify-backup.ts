import { join } from 'node:path';
import { AdminError } from '../../base/admin-error.ts';
import { hasCode } from '../../base/error-code.ts';
import { inParallel } from '../../platform/concurrency/in-parallel.ts';
import { backedUpTables } from './backed-up-tables.ts';
import { blobPath } from './copy-blobs.ts';
import { hashFile } from './hash-file.ts';
import { blobListName, keyName, type Manifest, readManifest, rowFile } from './manifest.ts';
import type { Progress } from './progress.ts';
import { type FileInfo, readRows } from './row-file.ts';

const readsAtOnce = 4;

/** Compares all files of a backup with its manifest. Throws at the first difference; returns the manifest. */
export async function verifyBackup(folder: string, progress: Progress): Promise<Manifest> {
  const manifest = await readManifest(folder);
  await backedUpTables(manifest);
  for (const { name, size, sha256 } of manifest.tables) await same(folder, rowFile(name), { size, sha256 });
  await same(folder, blobListName, manifest.blobs.list);
  if (manifest.masterKey) await same(folder, keyName, manifest.masterKey);
  if (manifest.blobs.bytes === 'listed') return manifest;
  for await (const batch of listedBlobs(folder)) {
    await inParallel(batch, readsAtOnce, async ({ key, size, sha256 }) => {
      await same(folder, blobPath('', key), { size, sha256 });
      progress.add('verified', 1, size);
    });
  }
  return manifest;
}

/** Yields the blobs of a backup in batches. */
export async function* listedBlobs(
  folder: string,
): AsyncGenerator<{ key: string; size: number; sha256: string }[]> {
  for await (const rows of readRows(join(folder, blobListName))) {
    yield rows.map(([key, size, sha256]) => {
      if (typeof key !== 'string' || !/^[0-9a-f]{32}$/.test(key))
        throw new AdminError(`The backup is damaged: ${blobListName} lists what is no blob.`);
      return { key, size: Number(size), sha256: String(sha256) };
    });
  }
}

async function same(folder: string, file: string, reported: FileInfo): Promise<void> {
  const found = await hashFile(join(folder, file)).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (found === undefined) throw new AdminError(`The backup is damaged: ${file} is missing.`);
  if (found.size !== reported.size || found.sha256 !== reported.sha256)
    throw new AdminError(`The backup is damaged: ${file} does not have the bytes that were written.`);
}
