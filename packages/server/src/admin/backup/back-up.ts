import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AdminError, refuseFor } from '../../base/admin-error.ts';
import { newId, timestamp } from '../../base/ids.ts';
import { version } from '../../base/version.ts';
import { syncFolder } from '../../platform/blobs/durable.ts';
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
import { hashFile } from './hash-file.ts';
import { isInside } from './is-inside.ts';
import {
  format,
  keyName,
  type Manifest,
  manifestName,
  rowFile,
  sealedIdContext,
  sealOf,
  writeManifest,
} from './manifest.ts';
import type { Progress } from './progress.ts';
import { writeRows } from './row-file.ts';

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

/**
 * Copies records and blobs as of one moment, while the service runs. Removal of blobs pauses from before the
 * records are read until the last byte is copied.
 */
export async function backUp(deps: BackupDeps, folder: string, options: BackupOptions): Promise<Manifest> {
  if (options.bytes === 'listed' && !deps.blobs.direct)
    throw new AdminError(
      '--list-bytes is for S3: bytes on the disk go with their data folder. Back up without it.',
    );
  await makeEmpty(folder, deps.dataFolder);
  const records = await openAsIs(deps);
  try {
    const manifest = await whileKept(records, () => copyAll(deps, folder, options));
    await writeManifest(folder, manifest);
    await syncFolder(folder);
    return manifest;
  } catch (error) {
    // Allows repeating the command. A failure to remove files has been reported already.
    await empty(folder).catch(() => undefined);
    throw error;
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

async function copyAll(deps: BackupDeps, folder: string, options: BackupOptions): Promise<Manifest> {
  const key = await readFile(deps.keyPath);
  if (isUnfinished(key.toString('utf8'))) throw changing();
  const { tables, ...records } = await copyRecords(deps, folder);
  if (tables.some(({ name, rows }) => name === 'users' && rows === 0)) throw neverUsed();
  if (!key.equals(await readFile(deps.keyPath)))
    throw new AdminError('The master key was changed meanwhile: back up again.');
  const blobs = await copyBlobs({ ...deps, folder, bytes: options.bytes }, tables);
  const masterKey = options.withKey ? await writeKey(key, folder) : null;
  const id = newId();
  const unsealed = {
    format,
    id,
    version,
    ...records,
    tables: tables.map(({ name, columns, rows, size, sha256 }) => ({ name, columns, rows, size, sha256 })),
    blobs,
    masterKey,
    sealedId: deps.secrets.seal(id, sealedIdContext),
  };
  await syncFolders(folder);
  return { ...unsealed, seal: sealOf(unsealed, deps.secrets) };
}

/** Removes the files of this backup from its folder, which was empty. */
async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
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

async function makeEmpty(folder: string, dataFolder: string): Promise<void> {
  if (await isInside(folder, dataFolder))
    throw new AdminError('A backup must be outside the data folder: name another folder.');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await readdir(folder);
  if (found.length === 0) return;
  const isCutOff = found.includes('records') && !found.includes(manifestName);
  throw new AdminError(
    isCutOff
      ? `${folder} holds a backup that was cut off: remove it, or name another folder.`
      : `${folder} is not empty: name a folder that is new or empty.`,
  );
}

type CopiedTable = TableShape & Manifest['tables'][number];

async function copyRecords(
  { dataFolder, databaseUrl, progress }: BackupDeps,
  folder: string,
): Promise<{ tables: CopiedTable[] } & Pick<Manifest, 'records' | 'migrations' | 'madeAt'>> {
  const snapshot = await openSnapshot({ folder: dataFolder, databaseUrl }).catch(refuseFor);
  const madeAt = timestamp(Date.now());
  try {
    await mkdir(join(folder, 'records'), { mode: 0o700 });
    const tables: CopiedTable[] = [];
    for (const table of snapshot.tables) {
      const path = join(folder, rowFile(table.name));
      tables.push({ ...table, ...(await writeRows(path, counted(snapshot, table, progress))) });
    }
    return { records: snapshot.dialect, migrations: snapshot.migrations, madeAt, tables };
  } finally {
    await snapshot.close();
  }
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

async function writeKey(key: Uint8Array, folder: string): Promise<Manifest['masterKey']> {
  const target = join(folder, keyName);
  const file = await open(target, 'wx', 0o600);
  try {
    await file.writeFile(key);
    await file.sync();
  } finally {
    await file.close();
  }
  return hashFile(target);
}

/** Syncs the names of all files before the manifest lists them. */
async function syncFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await syncFolder(join(entry.parentPath, entry.name));
  await syncFolder(folder);
}
