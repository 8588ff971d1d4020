import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AdminError, refuseFor } from '../admin-error.ts';
import { hasCode } from '../error-code.ts';
import { newId } from '../ids.ts';
import { inParallel } from '../in-parallel.ts';
import type { Blobs } from '../platform/blobs/index.ts';
import {
  FilledMeanwhile,
  fillRecords,
  identityAt,
  isUnfilled,
  lockDataFolder,
  stepsNamed,
  tablesAfter,
} from '../platform/records/index.ts';
import { openSecrets, placeKeyFile, type Secrets, type SecretsSettings } from '../platform/secrets/index.ts';
import { settleRestored } from './after-restore.ts';
import { blobPath } from './copy-blobs.ts';
import { isInside } from './is-inside.ts';
import { keyName, type Manifest, rowFile, sealedIdContext, sealOf } from './manifest.ts';
import type { Progress } from './progress.ts';
import { readRows } from './row-file.ts';
import { markRestore, unfinishedRestore, unmarkRestore, unwrittenMark } from './unfinished-restore.ts';
import { listedBlobs, verifyBackup } from './verify-backup.ts';

export interface RestorePlace {
  dataFolder: string;
  databaseUrl: string;
  /** `create`: in the data folder, into which the restore may put it. */
  masterKey: SecretsSettings;
  /** The key to put into the data folder when the backup holds none. */
  keyFile: string | undefined;
  openBlobs: () => Promise<Blobs>;
  /** Bytes that stayed in their store may be taken over with it, from the service that has it. */
  takeStore: boolean;
  progress: Progress;
}

const recordsOf = ({ dataFolder: folder, databaseUrl }: RestorePlace) => ({ folder, databaseUrl });

const copiesAtOnce = 4;
/** What is removed from a store that was taken over stays as long: it may have been the wrong one. */
const takenHoldMs = 14 * 86_400_000;
/** What may lie in a data folder that is called empty: a key that was put there for the restore, and what we put there ourselves. */
const allowed = new Set(['secrets', 'server.lock', unwrittenMark]);

/**
 * Makes the data folder and the database, both empty, what a backup says. First all of the backup is read and checked; then the
 * blobs come, and the records last, in one step. What is cut off can be repeated, and is no data folder before.
 */
export async function restore(place: RestorePlace, folder: string): Promise<Manifest> {
  const { dataFolder, openBlobs } = place;
  if (await isInside(dataFolder, folder))
    throw new AdminError('The data folder would lie in the backup, and go with it: name another one.');
  const manifest = await verifyBackup(folder, place.progress);
  if (bytesStayed(manifest) && !place.takeStore) throw new AdminError(untaken);
  const identity = (await requireEmpty(place, manifest)) ?? newId();
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const lock = lockDataFolder(dataFolder);
  try {
    const key = await keyOf(place, folder, manifest);
    await markRestore(dataFolder, { backup: manifest.id, identity });
    const { path } = place.masterKey;
    if (key !== path) placeKeyFile(path, await readFile(key, 'utf8'));
    const blobs = await openBlobs();
    try {
      if (bytesStayed(manifest)) await takeOver(blobs, folder, identity, place.progress);
      else await fillStore(blobs, folder, identity, place.progress);
    } finally {
      await blobs.close();
    }
    if (!(await arePlaced(place, identity))) await placeRecords(place, folder, manifest, identity);
    unmarkRestore(dataFolder);
    return manifest;
  } finally {
    lock.release();
  }
}

/** A list of none says nothing of a store: any would pass for the right one. */
const bytesStayed = ({ blobs }: Manifest): boolean => blobs.bytes === 'listed' && blobs.count > 0;

/** The identity of a restore of the same backup that was cut off here before. */
async function requireEmpty(place: RestorePlace, { id }: Manifest): Promise<string | undefined> {
  const { dataFolder } = place;
  const cutOff = unfinishedRestore(dataFolder);
  if (cutOff?.backup === id && cutOff.identity) {
    await arePlaced(place, cutOff.identity);
    return cutOff.identity;
  }
  if (cutOff !== undefined)
    throw new AdminError(
      'Another backup was being restored here, or by an older version: go on with that one, or take an empty folder.',
    );
  const found = await readdir(dataFolder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  if (found.some((name) => !allowed.has(name)))
    throw new AdminError(`The data folder ${dataFolder} is not empty: restore into a new one.`);
  if (!(await isUnfilled(recordsOf(place))))
    throw new AdminError('The database is not empty: restore into a new one.');
  return undefined;
}

/** Whether this restore has placed its records before it was cut off. Refuses what came to their place meanwhile. */
async function arePlaced(place: RestorePlace, identity: string): Promise<boolean> {
  if (await isUnfilled(recordsOf(place))) return false;
  if ((await identityAt(recordsOf(place))) === identity) return true;
  throw new AdminError('The database is not empty: empty it and run it again.');
}

/** The file with the master key of the backup. Refuses any other, and a backup that somebody without the key has changed. */
async function keyOf(place: RestorePlace, folder: string, manifest: Manifest): Promise<string> {
  const { path: own, create: ours } = place.masterKey;
  const given = place.keyFile ?? (manifest.masterKey ? join(folder, keyName) : undefined);
  const path = (await exists(own)) ? own : given;
  if (path === undefined || (!ours && path !== own)) {
    throw new AdminError(
      ours
        ? 'The backup holds no master key: give the one that belongs to it with --key FILE.'
        : `There is no master key in ${own}: put the one of the backup there.`,
    );
  }
  if (!isKeyOf(path, manifest)) {
    throw new AdminError(
      `The master key in ${path} is not the one of this backup, or its manifest was changed: nothing was restored.`,
    );
  }
  return path;
}

function isKeyOf(path: string, { seal, ...unsealed }: Manifest): boolean {
  const secrets = openOrRefuse(path);
  try {
    return (
      secrets.open(unsealed.sealedId, sealedIdContext) === unsealed.id && sealOf(unsealed, secrets) === seal
    );
  } catch (error) {
    // It opens nothing of this backup.
    if (error instanceof Error) return false;
    throw error;
  }
}

/** What is wrong with the file itself (others may read it, it is no key) is told as it is. */
function openOrRefuse(path: string): Secrets {
  try {
    return openSecrets({ path, create: false });
  } catch (error) {
    return refuseFor(error);
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** Whoever has a store, however empty, clears away what his records do not name. */
async function fillStore(blobs: Blobs, folder: string, identity: string, progress: Progress): Promise<void> {
  const owner = await blobs.owner();
  if (owner !== identity) {
    if (!(await blobs.isEmpty()))
      throw new AdminError('The store of the bytes is not empty: restore into an empty one.');
    if (owner !== undefined) throw new AdminError(markedByOthers);
    await blobs.mark(identity);
  }
  await placeBlobs(blobs, folder, progress);
}

const markedByOthers =
  'The store of the bytes belongs to another service: restore into one of its own. If that service is gone for good, remove the ' +
  'file or object "owner" of the store.';

async function placeBlobs(blobs: Blobs, folder: string, progress: Progress): Promise<void> {
  for await (const batch of listedBlobs(folder)) {
    await inParallel(batch, copiesAtOnce, async (blob) => {
      await blobs.putBack(blob, createReadStream(blobPath(folder, blob.key)));
      progress.add('restored', 1, blob.size);
    });
  }
}

const untaken =
  'The backup holds no bytes: they stay in their store, which the restored service takes over. The one that has it is refused from ' +
  'then on. Say so with --take-store; for a drill name a copy of the bucket in PLOIDY_BLOBS.';

/** Nothing leaves the store before it is known whether it was the right one. */
async function takeOver(blobs: Blobs, folder: string, identity: string, progress: Progress): Promise<void> {
  const hold = await blobs.hold();
  try {
    await requireBlobs(blobs, folder, progress);
    if (hold.lapsed()) throw new AdminError('The store could not be held for minutes: run it again.');
    await blobs.holdFor(takenHoldMs);
    await blobs.mark(identity);
  } finally {
    await hold.release();
  }
}

/** The bytes stayed in their store: at least each has to be there, and as long as it was. */
async function requireBlobs(blobs: Blobs, folder: string, progress: Progress): Promise<void> {
  for await (const batch of listedBlobs(folder)) {
    await inParallel(batch, copiesAtOnce, async ({ key, size }) => {
      const found = await blobs.sizeOf(key);
      if (found === undefined || found < size)
        throw new AdminError(`The backup holds no bytes, and the store has not those of ${key}.`);
      progress.add('found', 1, 0);
    });
  }
}

async function placeRecords(
  place: RestorePlace,
  folder: string,
  manifest: Manifest,
  identity: string,
): Promise<void> {
  const shapes = await tablesAfter(stepsNamed(manifest.migrations));
  await fillRecords(recordsOf(place), async (filling) => {
    await filling.begin(manifest.migrations);
    for (const shape of shapes) {
      for await (const rows of readRows(join(folder, rowFile(shape.name)))) {
        await filling.add(shape, rows);
        place.progress.add('rows', rows.length, 0);
      }
    }
    await filling.complete(shapes);
    await settleRestored(filling, manifest, identity);
  }).catch((error: unknown) => {
    if (error instanceof FilledMeanwhile)
      throw new AdminError('Somebody else has filled the database meanwhile: restore into an empty one.');
    throw error;
  });
}
