import { join, resolve } from 'node:path';
import { masterKeyFile } from '../app/core.ts';
import { AdminError, refuseFor } from '../base/admin-error.ts';
import { backupAccess, readBackups, storeSettings } from '../config/blobs.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { openBlobs, type S3Address } from '../platform/blobs/index.ts';
import { openSecrets, type Secrets } from '../platform/secrets/index.ts';
import { backUp, type Made, requireOwnFolder } from './backup/back-up.ts';
import { FolderStore } from './backup/folder-store.ts';
import { isInside } from './backup/is-inside.ts';
import type { Backup, Manifest } from './backup/manifest.ts';
import { lastMoment, momentsIn, prune } from './backup/moments.ts';
import { type Progress, progressLines } from './backup/progress.ts';
import { restore } from './backup/restore.ts';
import type { BackupStore } from './backup/store.ts';
import { verifyBackup } from './backup/verify-backup.ts';

/** Parsed `ploidy admin backup …`, `backup ls`, `backup verify`, `backup prune` or `restore …`. */
export interface BackupCommand {
  name: 'backup' | 'backup ls' | 'backup verify' | 'backup prune' | 'restore';
  /** Place of backups, or the folder of one of them; '' for that of the settings. */
  place: string;
  withKey: boolean;
  listBytes: boolean;
  key: string | undefined;
  keep: number | undefined;
  /** Epoch milliseconds. */
  at: number | undefined;
}

type Outcome = Record<string, string | number | object[]>;

/** Runs a command and reports its progress to `stderr`. Throws `AdminError` with advice if it is refused. */
export async function runBackupCommand(
  config: Config,
  command: BackupCommand,
  stderr: { write(text: string): unknown },
): Promise<Outcome> {
  const progress = progressLines((line) => stderr.write(line));
  const { address, moment } = placeOf(config, command.place);
  const store = await openStore(config, address);
  try {
    const backup = () =>
      moment === undefined ? lastMoment(store, command.at) : Promise.resolve({ store, folder: moment });
    switch (command.name) {
      case 'backup':
        return await make(config, { store, address, progress }, command);
      case 'backup ls':
        return { backups: (await momentsIn(store)).map(lineOf) };
      case 'backup verify':
        return verified(await verifyBackup(await backup(), progress));
      case 'backup prune':
        return { ...(await store.alone((requireTurn) => prune(store, command.keep ?? 1, requireTurn))) };
      case 'restore':
        return await restored(config, { address, progress }, await backup(), command.key);
    }
  } catch (error) {
    // Errors of the system, such as a full disk, are for the operator.
    if (error instanceof Error && 'syscall' in error) throw new AdminError(error.message, { cause: error });
    throw error;
  } finally {
    store.close();
  }
}

/** Opens a store of backups; the code of S3 is loaded only if it is needed. */
async function openStore(config: Config, address: Place['address']): Promise<BackupStore> {
  if (typeof address === 'string') return new FolderStore(address);
  const { S3Store } = await import('./backup/s3-store.ts');
  return new S3Store(address, backupAccess(config), join(config.dataFolder, 'blobs', 'scratch'));
}

interface Place {
  address: string | S3Address;
  /** Folder of one backup in the store, if the operator named it. */
  moment: string | undefined;
}

/** Finds the store of a place, which may be the folder of one of its backups. */
function placeOf({ backups }: Config, given: string): Place {
  if (given === '' && backups === undefined)
    throw new AdminError('Name a folder or s3://… for the backups, or set PLOIDY_BACKUPS.');
  if (given === '') return { address: backups ?? '', moment: undefined };
  const [, store = given, moment] = /^([^?]*?)\/(moments\/[^/?]+)\/?(?=\?|$)/.exec(given) ?? [];
  const folder = moment === undefined ? undefined : `${moment}/`;
  const query = given.includes('?') ? given.slice(given.indexOf('?')) : '';
  const place = moment === undefined ? given : `${store}${query}`;
  return { address: place.startsWith('s3:') ? s3Place(place) : resolve(place), moment: folder };
}

function s3Place(place: string): string | S3Address {
  try {
    return readBackups(place, 'The place') ?? '';
  } catch (error) {
    if (error instanceof ConfigError) throw new AdminError(error.message);
    throw error;
  }
}

async function make(
  config: Config,
  { store, address, progress }: { store: BackupStore; address: Place['address']; progress: Progress },
  { withKey, listBytes, keep }: BackupCommand,
): Promise<Outcome> {
  const { dataFolder, databaseUrl } = config;
  if (typeof address === 'string') await requireOwnFolder(address, dataFolder);
  else refuseShared(config.blobStore, address);
  const { path: keyPath } = masterKeyFile(config);
  const secrets = secretsOf(keyPath);
  const blobs = await openBlobs(storeSettings(config));
  try {
    const deps = { dataFolder, databaseUrl, keyPath, blobs, secrets, progress };
    const bytes = listBytes ? 'listed' : 'copied';
    if (listBytes && !blobs.direct)
      throw new AdminError(
        '--list-bytes is for S3: bytes on the disk go with their data folder. Back up without it.',
      );
    return await store.alone(async (requireTurn) => {
      const made = await backUp(deps, store, { bytes, withKey }, requireTurn);
      const outcome = { ...summary(made.manifest, `written to ${store.name}`, keyPath), ...copied(made) };
      return keep === undefined ? outcome : { ...outcome, ...(await prune(store, keep, requireTurn)) };
    });
  } finally {
    await blobs.close();
  }
}

const copied = ({ manifest, copied }: Made): Outcome =>
  manifest.blobs.bytes === 'copied' ? { copied: `${copied} blobs that no earlier backup has` } : {};

/** Refuses the store of the service itself: a prune would be among its bytes. */
function refuseShared(own: S3Address | undefined, { endpoint, bucket, prefix }: S3Address): void {
  if (own === undefined || own.endpoint.href !== endpoint.href || own.bucket !== bucket) return;
  if (!own.prefix.startsWith(prefix) && !prefix.startsWith(own.prefix)) return;
  throw new AdminError(
    'The backups would be among the bytes of the service (PLOIDY_BLOBS): name another bucket or prefix.',
  );
}

async function restored(
  config: Config,
  { address, progress }: { address: Place['address']; progress: Progress },
  backup: Backup,
  key: string | undefined,
): Promise<Outcome> {
  if (typeof address === 'string' && (await isInside(config.dataFolder, address)))
    throw new AdminError('The data folder would lie in the backup, and go with it: name another one.');
  const openOwn = () => openBlobs(storeSettings(config));
  const keyFile = key === undefined ? undefined : resolve(key);
  const masterKey = masterKeyFile(config);
  const to = { ...config, masterKey, keyFile, openBlobs: openOwn, progress };
  return summary(await restore(to, backup), 'restored');
}

function lineOf({ folder, manifest }: Awaited<ReturnType<typeof momentsIn>>[number]): object {
  if (manifest === undefined) return { moment: folder, state: 'not completed' };
  const { madeAt, version, blobs, masterKey } = manifest;
  const bytes = blobs.bytes === 'copied' ? `${blobs.size} bytes` : `${blobs.size} bytes, listed only`;
  return {
    moment: madeAt,
    state: 'complete',
    version,
    rows: `${rowsOf(manifest)} rows`,
    blobs: `${blobs.count} blobs`,
    bytes,
    ...(masterKey && { masterKey: 'with the master key' }),
  };
}

const rowsOf = ({ tables }: Manifest): number => tables.reduce((sum, { rows }) => sum + rows, 0);

function secretsOf(path: string): Secrets {
  try {
    return openSecrets({ path, create: false });
  } catch (error) {
    return refuseFor(error);
  }
}

function verified(manifest: Manifest): Outcome {
  const unread =
    manifest.blobs.bytes === 'listed' ? '; the bytes stay in their store and were not checked' : '';
  return summary(manifest, `complete and undamaged${unread}`);
}

function summary(manifest: Manifest, outcome: string, keyPath?: string): Outcome {
  const { id, madeAt, blobs, masterKey } = manifest;
  const apart = keyPath
    ? `NOT in the backup: without ${keyPath} it cannot be restored. Keep a copy of that file apart`
    : 'not in the backup';
  return {
    backup: outcome,
    id,
    moment: madeAt,
    rows: rowsOf(manifest),
    blobs: blobs.count,
    bytes: blobs.bytes === 'copied' ? blobs.size : `${blobs.size}, listed only: they stay in their store`,
    masterKey: masterKey ? 'in the backup: its holder can read all secrets. Keep it locked away' : apart,
  };
}
