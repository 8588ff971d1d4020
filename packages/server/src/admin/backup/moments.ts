import { AdminError } from '../../base/admin-error.ts';
import { type Backup, blobListName, findManifest, type Manifest, manifestName } from './manifest.ts';
import type { BackupStore } from './store.ts';
import { listedBlobs, requireFile } from './verify-backup.ts';

const momentsFolder = 'moments/';
const momentShape = /^moments\/[^/]+\//;

/** Builds the folder of a backup; names sort by time, and are valid on every file system. */
export const momentFolder = (madeAt: string): string => `${momentsFolder}${madeAt.replaceAll(':', '-')}/`;

/** A backup with its manifest; without one it was not completed. */
interface Moment extends Backup {
  manifest: Manifest | undefined;
}

/** Finds the backups of a store, the oldest first. */
export async function momentsIn(store: BackupStore): Promise<Moment[]> {
  const folders = new Set<string>();
  for await (const { path } of store.list(momentsFolder)) {
    const [folder] = momentShape.exec(path) ?? [];
    if (folder !== undefined) folders.add(folder);
  }
  const found: Moment[] = [];
  const former = await findManifest({ store, folder: '' });
  if (former !== undefined) found.push({ store, folder: '', manifest: former });
  for (const folder of [...folders].sort())
    found.push({ store, folder, manifest: await findManifest({ store, folder }) });
  return found;
}

/** Finds the last complete backup of a store, or the last one of a time (epoch milliseconds) or before. */
export async function lastMoment(store: BackupStore, at: number | undefined): Promise<Moment> {
  const complete = (await momentsIn(store)).filter(({ manifest }) => manifest !== undefined);
  const [oldest] = complete;
  if (oldest === undefined)
    throw new AdminError(
      `There is no complete backup in ${store.name}: it has no manifest, which is written last.`,
    );
  const isBefore = ({ manifest }: Moment) => at === undefined || Date.parse(manifest?.madeAt ?? '') <= at;
  const found = complete.findLast(isBefore);
  if (found !== undefined) return found;
  throw new AdminError(
    `The oldest backup in ${store.name} is of ${oldest.manifest?.madeAt}: name a later time.`,
  );
}

/** Outcome of `prune`. */
interface Pruned {
  kept: number;
  removed: number;
  /** Blobs that no backup lists any more, and their size in bytes. */
  removedBlobs: number;
  removedBytes: number;
}

/**
 * Removes all backups but the last `keep`, and those that were not completed. Removes the blobs that the kept ones do not list.
 * Reads all lists before it removes anything: a damaged one ends it. The caller holds the store.
 */
export async function prune(store: BackupStore, keep: number, requireTurn: () => void): Promise<Pruned> {
  const all = await momentsIn(store);
  const kept = all.filter(({ manifest }) => manifest !== undefined).slice(-keep);
  const named = new Set<string>();
  for (const backup of kept) {
    if (backup.manifest?.blobs.bytes !== 'copied') continue;
    await requireFile(backup, blobListName, backup.manifest.blobs.list);
    for await (const batch of listedBlobs(backup)) for (const { key } of batch) named.add(key);
  }
  const gone = all.filter((moment) => !kept.includes(moment));
  for (const moment of gone) await removeMoment(moment, requireTurn);
  return { kept: kept.length, removed: gone.length, ...(await removeBlobs(store, named, requireTurn)) };
}

/** Removes the manifest first: what is left of a removal that was cut off is no backup. */
async function removeMoment({ store, folder }: Backup, requireTurn: () => void): Promise<void> {
  requireTurn();
  await store.remove(`${folder}${manifestName}`);
  for await (const { path } of store.list(folder === '' ? 'records/' : folder)) await store.remove(path);
  if (folder === '') for (const name of ['blobs.ndjson.gz', 'master.key']) await store.remove(name);
}

/** Removes blobs, and nothing else that may be beside them. */
async function removeBlobs(
  store: BackupStore,
  named: ReadonlySet<string>,
  requireTurn: () => void,
): Promise<Pick<Pruned, 'removedBlobs' | 'removedBytes'>> {
  const removed = { removedBlobs: 0, removedBytes: 0 };
  for await (const { path, size } of store.list('blobs/')) {
    const [, , key = ''] = /^blobs\/([0-9a-f]{2})\/(\1[0-9a-f]{30})$/.exec(path) ?? [];
    if (key === '' || named.has(key)) continue;
    requireTurn();
    await store.remove(path);
    removed.removedBlobs += 1;
    removed.removedBytes += size;
  }
  return removed;
}
