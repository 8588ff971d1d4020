import { readdir, readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { lastBackupStep, noteBackup } from '../../app/core.ts';
import { AdminError, refuseFor } from '../../base/admin-error.ts';
import { hasCode } from '../../base/error-code.ts';
import { newId, timestamp } from '../../base/ids.ts';
import { version } from '../../base/version.ts';
import { type Blobs, whileKept } from '../../platform/blobs/index.ts';
import { openLog } from '../../platform/log/log.ts';
import {
  openRecords,
  openSnapshot,
  type Records,
  type Snapshot,
  stepsNamed,
  type TableShape,
} from '../../platform/records/index.ts';
import { isUnfinished, type Secrets } from '../../platform/secrets/index.ts';
import { copyBlobs } from './copy-blobs.ts';
import { lockName } from './folder-store.ts';
import { isInside } from './is-inside.ts';
import {
  type Backup,
  format,
  keyName,
  type Manifest,
  rowFile,
  sealedIdContext,
  sealOf,
  writeManifest,
} from './manifest.ts';
import { momentFolder, momentsIn } from './moments.ts';
import type { Progress } from './progress.ts';
import { type FileInfo, rowBytes } from './row-file.ts';
import type { BackupStore } from './store.ts';

interface BackupDeps {
  dataFolder: string;
  databaseUrl: string;
  /** Path of the master key. */
  keyPath: string;
  blobs: Blobs;
  secrets: Secrets;
  progress: Progress;
}

interface BackupOptions {
  /** `copied`: with the bytes of the blobs. `listed`: only their names, sizes and hashes. */
  bytes: Manifest['blobs']['bytes'];
  withKey: boolean;
}

/** A finished backup, and how many of its blobs no earlier one had. */
export interface Made {
  manifest: Manifest;
  copied: number;
}

/**
 * Copies records and blobs as of one moment, while the service runs. Removal of blobs pauses from before the
 * records are read until the last byte is copied. The caller holds the store.
 */
export async function backUp(
  deps: BackupDeps,
  store: BackupStore,
  options: BackupOptions,
  requireTurn: () => void,
): Promise<Made> {
  const records = await openAsIs(deps);
  try {
    return await whileKept(records, async () => {
      const snapshot = await openSnapshot({
        folder: deps.dataFolder,
        databaseUrl: deps.databaseUrl,
      }).catch(refuseFor);
      const madeAt = timestamp(Date.now());
      const backup = { store, folder: momentFolder(madeAt) };
      try {
        const made = await copyAll(deps, { backup, snapshot, madeAt }, options);
        requireTurn();
        await writeManifest(backup, made.manifest);
        if (snapshot.migrations.includes(lastBackupStep)) {
          const { id, blobs } = made.manifest;
          await noteBackup(records, { id, madeAt: Date.parse(madeAt), bytes: blobs.size });
        }
        return made;
      } catch (error) {
        // Files that a failing store keeps are no backup; the next prune removes them.
        for await (const { path } of store.list(backup.folder)) await store.remove(path);
        throw error;
      } finally {
        await snapshot.close();
      }
    });
  } finally {
    await records.close();
  }
}

/** Opens the records without migrating them. */
async function openAsIs({ dataFolder: folder, databaseUrl }: BackupDeps): Promise<Records> {
  const { migrations, close } = await openSnapshot({ folder, databaseUrl }).catch(refuseFor);
  await close();
  const log = openLog('error');
  return openRecords({ folder, databaseUrl, connectionsMax: 2, log, migrations: stepsNamed(migrations) });
}

interface Begun {
  backup: Backup;
  snapshot: Snapshot;
  madeAt: string;
}

async function copyAll(deps: BackupDeps, begun: Begun, options: BackupOptions): Promise<Made> {
  const { backup, snapshot, madeAt } = begun;
  const key = await readFile(deps.keyPath);
  if (isUnfinished(key.toString('utf8'))) throw changing();
  const tables = await copyRecords(deps, begun);
  if (tables.some(({ name, rows }) => name === 'users' && rows === 0)) throw neverUsed();
  if (!key.equals(await readFile(deps.keyPath)))
    throw new AdminError('The master key was changed meanwhile: back up again.');
  const previous = (await momentsIn(backup.store)).findLast(
    ({ manifest }) => manifest?.blobs.bytes === 'copied',
  );
  const { blobs, copied } = await copyBlobs({ ...deps, backup, previous, bytes: options.bytes }, tables);
  const masterKey = options.withKey ? await written(backup, keyName, Readable.from([key])) : null;
  const id = newId();
  const unsealed = {
    format,
    id,
    version,
    records: snapshot.dialect,
    migrations: snapshot.migrations,
    madeAt,
    tables: tables.map(({ name, columns, rows, size, sha256 }) => ({ name, columns, rows, size, sha256 })),
    blobs,
    masterKey,
    sealedId: deps.secrets.seal(id, sealedIdContext),
  };
  return { manifest: { ...unsealed, seal: sealOf(unsealed, deps.secrets) }, copied };
}

async function written({ store, folder }: Backup, path: string, bytes: Readable): Promise<FileInfo> {
  const info = await store.write(`${folder}${path}`, bytes);
  if (info === undefined) throw new Error(`${path} was not written.`);
  return info;
}

/** Refuses records without users, whose backup would be useless. */
function neverUsed(): AdminError {
  return new AdminError(
    'These records were never used, there is nothing to back up: set PLOIDY_DATA_DIR and PLOIDY_DATABASE_URL as the service has them.',
  );
}

/** Refuses a half-changed master key: no single key opens all of the backup. */
function changing(): AdminError {
  return new AdminError(
    'A change of the master key was begun and not finished: stop the service, run rotate-key to its end, and back up then.',
  );
}

/** Names beside backups that do not make a folder one of other things. */
const ownNames: ReadonlySet<string> = new Set([
  'moments',
  'blobs',
  'unfinished',
  lockName,
  `${lockName}-journal`,
  'lost+found',
]);
const formerNames: ReadonlySet<string> = new Set([
  'manifest.json',
  'records',
  'blobs.ndjson.gz',
  'master.key',
]);

/** Refuses a folder for backups that is in the data folder, or holds other things. */
export async function requireOwnFolder(folder: string, dataFolder: string): Promise<void> {
  if (await isInside(folder, dataFolder))
    throw new AdminError('A backup must be outside the data folder: name another folder.');
  const found = await readdir(folder).catch((error: unknown): string[] => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  const isFormer = found.includes('manifest.json');
  const strange = found.filter((name) => !ownNames.has(name) && !(isFormer && formerNames.has(name)));
  if (strange.length === 0) return;
  throw new AdminError(
    `${folder} is not empty: it holds other things than backups, such as ${strange[0]}. Name a folder for backups alone.`,
  );
}

type CopiedTable = TableShape & Manifest['tables'][number];

async function copyRecords({ progress }: BackupDeps, { backup, snapshot }: Begun): Promise<CopiedTable[]> {
  const tables: CopiedTable[] = [];
  for (const table of snapshot.tables) {
    const { bytes, count } = rowBytes(counted(snapshot, table, progress));
    const info = await written(backup, rowFile(table.name), bytes);
    tables.push({ ...table, ...info, rows: count() });
  }
  return tables;
}

async function* counted(
  snapshot: Snapshot,
  table: TableShape,
  progress: Progress,
): AsyncGenerator<unknown[][]> {
  for await (const rows of snapshot.rows(table)) {
    progress.add('rows', rows.length, 0);
    yield rows;
  }
}
