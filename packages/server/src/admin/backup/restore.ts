import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import {
  markRestore,
  unfinishedRestore,
  unmarkRestore,
  unwrittenMark,
} from '../../app/maintenance/unfinished-restore.ts';
import { AdminError, refuseFor } from '../../base/admin-error.ts';
import { hasCode } from '../../base/error-code.ts';
import { newId } from '../../base/ids.ts';
import { addIntents, type Blobs } from '../../platform/blobs/index.ts';
import { inParallel } from '../../platform/concurrency/in-parallel.ts';
import {
  FilledMeanwhile,
  fillRecords,
  identityAt,
  isUnfilled,
  lockDataFolder,
} from '../../platform/records/index.ts';
import {
  openSecrets,
  placeKeyFile,
  type Secrets,
  type SecretsSettings,
  secretsOfKey,
} from '../../platform/secrets/index.ts';
import { settleRestored } from './after-restore.ts';
import { backedUpTables } from './backed-up-tables.ts';
import {
  type Backup,
  blobPath,
  keyName,
  type Manifest,
  rowFile,
  sealedIdContext,
  sealOf,
} from './manifest.ts';
import type { Progress } from './progress.ts';
import { readRows } from './row-file.ts';
import { listedBlobs, openFile, verifyBackup } from './verify-backup.ts';

interface RestorePlace {
  dataFolder: string;
  databaseUrl: string;
  /** Source of the master key; `create` writes it to the data folder. */
  masterKey: SecretsSettings;
  /** Key file for the data folder if the backup has none. */
  keyFile: string | undefined;
  openBlobs: () => Promise<Blobs>;
  progress: Progress;
}

const recordsOf = ({ dataFolder: folder, databaseUrl }: RestorePlace) => ({ folder, databaseUrl });

const copiesAtOnce = 4;
const looksAtOnce = 16;
/** Names allowed in an empty data folder: a key for the restore, and files of the restore itself. */
const allowed = new Set(['secrets', 'server.lock', unwrittenMark]);

/**
 * Restores a backup into an empty data folder and database. Verifies the whole backup first, then writes the
 * blobs, then the records in one step. An interrupted restore can be repeated; until then the service refuses
 * the folder.
 */
export async function restore(place: RestorePlace, backup: Backup): Promise<Manifest> {
  const { dataFolder, openBlobs } = place;
  const manifest = await verifyBackup(backup, place.progress);
  const begun = await requireEmpty(place, manifest);
  const identity = begun ?? newId();
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const lock = lockDataFolder(dataFolder);
  try {
    const key = await keyOf(place, backup, manifest);
    await markRestore(dataFolder, { backup: manifest.id, identity });
    if (key !== undefined) placeKeyFile(place.masterKey.path, key);
    const blobs = await openBlobs();
    try {
      if (manifest.blobs.bytes === 'listed') await requireBlobs(blobs, backup, place.progress);
      else {
        if (begun === undefined) await requireNoBlobs(blobs, backup);
        await placeBlobs(blobs, backup, place.progress);
      }
    } finally {
      await blobs.close();
    }
    if (!(await arePlaced(place, identity))) await placeRecords(place, backup, manifest, identity);
    unmarkRestore(dataFolder);
    return manifest;
  } finally {
    lock.release();
  }
}

/** Finds the identity of an interrupted restore of the same backup. Refuses a place that is not empty. */
async function requireEmpty(place: RestorePlace, { id }: Manifest): Promise<string | undefined> {
  const { dataFolder } = place;
  const cutOff = unfinishedRestore(dataFolder);
  if (cutOff?.backup === id) {
    await arePlaced(place, cutOff.identity);
    return cutOff.identity;
  }
  if (cutOff !== undefined)
    throw new AdminError(
      'Another backup was being restored here: go on with that one, or take an empty folder.',
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

/** Reports whether an interrupted restore has written its records. Refuses any other records. */
async function arePlaced(place: RestorePlace, identity: string): Promise<boolean> {
  if (await isUnfilled(recordsOf(place))) return false;
  if ((await identityAt(recordsOf(place))) === identity) return true;
  throw new AdminError('The database is not empty: empty it and run it again.');
}

/**
 * Finds the master key of the backup; returns it if it has to be put into its place. Refuses any other, and a backup that was
 * changed without the key.
 */
async function keyOf(place: RestorePlace, backup: Backup, manifest: Manifest): Promise<string | undefined> {
  const { path: own, create: ours } = place.masterKey;
  const given = (await exists(own)) ? own : ours ? place.keyFile : undefined;
  if (given === undefined && !(ours && manifest.masterKey)) {
    throw new AdminError(
      ours
        ? 'The backup holds no master key: give the one that belongs to it with --key FILE.'
        : `There is no master key in ${own}: put the one of the backup there.`,
    );
  }
  const key =
    given === undefined ? await text(await openFile(backup, keyName)) : await readFile(given, 'utf8');
  const secrets = openOrRefuse(() =>
    given === undefined ? secretsOfKey(key) : openSecrets({ path: given, create: false }),
  );
  if (!isKeyOf(secrets, manifest)) {
    throw new AdminError(
      `The master key in ${given ?? 'the backup'} is not the one of this backup, or its manifest was changed: nothing was restored.`,
    );
  }
  return given === own ? undefined : key;
}

function isKeyOf(secrets: Secrets, { seal, ...unsealed }: Manifest): boolean {
  try {
    return (
      secrets.open(unsealed.sealedId, sealedIdContext) === unsealed.id && sealOf(unsealed, secrets) === seal
    );
  } catch (error) {
    // The key does not open the backup.
    if (error instanceof Error) return false;
    throw error;
  }
}

/** Opens a key. Refuses a file that others may read, or that holds no key, with its own reason. */
function openOrRefuse(open: () => Secrets): Secrets {
  try {
    return open();
  } catch (error) {
    return refuseFor(error);
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** Refuses the store of another service: two services that share blobs would remove each other's. */
async function requireNoBlobs(blobs: Blobs, backup: Backup): Promise<void> {
  for await (const batch of listedBlobs(backup)) {
    await inParallel(batch, looksAtOnce, async ({ key }) => {
      if ((await blobs.sizeOf(key)) === undefined) return;
      throw new AdminError(
        'The store of the bytes holds blobs of this backup already: another service uses it. Restore into a store of its own.',
      );
    });
  }
}

async function placeBlobs(blobs: Blobs, backup: Backup, progress: Progress): Promise<void> {
  for await (const batch of listedBlobs(backup)) {
    await inParallel(batch, copiesAtOnce, async (blob) => {
      await blobs.putBack(blob, await openFile({ store: backup.store, folder: '' }, blobPath(blob.key)));
      progress.add('restored', 1, blob.size);
    });
  }
}

/** Refuses a store that lacks a listed blob, or has a shorter one. */
async function requireBlobs(blobs: Blobs, backup: Backup, progress: Progress): Promise<void> {
  for await (const batch of listedBlobs(backup)) {
    await inParallel(batch, looksAtOnce, async ({ key, size }) => {
      const found = await blobs.sizeOf(key);
      if (found === undefined || found < size)
        throw new AdminError(`The backup holds no bytes, and the store has not those of ${key}.`);
      progress.add('found', 1, 0);
    });
  }
}

async function placeRecords(
  place: RestorePlace,
  backup: Backup,
  manifest: Manifest,
  identity: string,
): Promise<void> {
  const { steps, tables: shapes } = await backedUpTables(manifest);
  await fillRecords(recordsOf(place), async (filling) => {
    await filling.begin(steps);
    for await (const blobs of listedBlobs(backup))
      await addIntents(
        filling.tx,
        blobs.map(({ key }) => key),
      );
    for (const shape of shapes) {
      for await (const rows of readRows(await openFile(backup, rowFile(shape.name)))) {
        await filling.add(shape, rows);
        place.progress.add('rows', rows.length, 0);
      }
    }
    await filling.complete(shapes);
    await settleRestored(filling, manifest, identity);
  }).catch((error: unknown) => {
    if (error instanceof FilledMeanwhile)
      throw new AdminError('Another process has filled the database meanwhile: restore into an empty one.');
    throw error;
  });
}
