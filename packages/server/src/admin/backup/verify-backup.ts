import type { Readable } from 'node:stream';
import { AdminError } from '../../base/admin-error.ts';
import { received } from '../../platform/blobs/receive.ts';
import { inParallel } from '../../platform/concurrency/in-parallel.ts';
import { backedUpTables } from './backed-up-tables.ts';
import {
  type Backup,
  blobListName,
  blobPath,
  findManifest,
  keyName,
  type Manifest,
  rowFile,
} from './manifest.ts';
import type { Progress } from './progress.ts';
import { type FileInfo, readRows } from './row-file.ts';

const readsAtOnce = 4;

/** Compares all files of a backup with its manifest. Throws at the first difference; returns the manifest. */
export async function verifyBackup(backup: Backup, progress: Progress): Promise<Manifest> {
  const manifest = await findManifest(backup);
  if (manifest === undefined)
    throw new AdminError(`${nameOf(backup)} is no complete backup: it has no manifest.`);
  await backedUpTables(manifest);
  for (const { name, size, sha256 } of manifest.tables)
    await requireFile(backup, rowFile(name), { size, sha256 });
  await requireFile(backup, blobListName, manifest.blobs.list);
  if (manifest.masterKey) await requireFile(backup, keyName, manifest.masterKey);
  if (manifest.blobs.bytes === 'listed') return manifest;
  const { store } = backup;
  for await (const batch of listedBlobs(backup)) {
    await inParallel(batch, readsAtOnce, async ({ key, size, sha256 }) => {
      await requireFile({ store, folder: '' }, blobPath(key), { size, sha256 });
      progress.add('verified', 1, size);
    });
  }
  return manifest;
}

const nameOf = ({ store, folder }: Backup): string => `${store.name.replace(/\/$/, '')}/${folder}`;

/** Yields the blobs of a backup in batches. */
export async function* listedBlobs(
  backup: Backup,
): AsyncGenerator<{ key: string; size: number; sha256: string }[]> {
  for await (const rows of readRows(await openFile(backup, blobListName))) {
    yield rows.map(([key, size, sha256]) => {
      if (typeof key !== 'string' || !/^[0-9a-f]{32}$/.test(key))
        throw new AdminError(`The backup is damaged: ${blobListName} lists what is no blob.`);
      return { key, size: Number(size), sha256: String(sha256) };
    });
  }
}

/** Opens a file of a backup, which has to be there. */
export async function openFile({ store, folder }: Backup, path: string): Promise<Readable> {
  const file = await store.read(`${folder}${path}`);
  if (file === undefined) throw new AdminError(`The backup is damaged: ${folder}${path} is missing.`);
  return file;
}

/** Requires a file to have the bytes that were written. */
export async function requireFile(backup: Backup, path: string, reported: FileInfo): Promise<void> {
  const found = await received(await openFile(backup, path));
  if (found.size !== reported.size || found.sha256 !== reported.sha256)
    throw new AdminError(
      `The backup is damaged: ${backup.folder}${path} does not have the bytes that were written.`,
    );
}
