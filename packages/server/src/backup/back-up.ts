import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AdminError, refuseFor } from '../admin-error.ts';
import { newId, timestamp } from '../ids.ts';
import { syncFolder } from '../platform/blobs/durable.ts';
import type { Blobs } from '../platform/blobs/index.ts';
import { openSnapshot, type Snapshot, type TableShape } from '../platform/records/index.ts';
import { isUnfinished, type Secrets } from '../platform/secrets/index.ts';
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
import { softwareVersion } from './version.ts';

export interface BackupParts {
  dataFolder: string;
  databaseUrl: string;
  /** The file with the master key. */
  keyPath: string;
  blobs: Blobs;
  secrets: Secrets;
  progress: Progress;
}

export interface BackupOptions {
  /** Whether the bytes of the blobs are copied, or only their names, sizes and hashes listed. */
  bytes: Manifest['blobs']['bytes'];
  withKey: boolean;
}

/**
 * Copies records and blobs as they are at one moment, while the service goes on. From before the records are looked at until the
 * last byte is copied no blob is removed (`Blobs.hold`), so every blob that they name is there.
 */
export async function backUp(parts: BackupParts, folder: string, options: BackupOptions): Promise<Manifest> {
  if (options.bytes === 'listed' && !parts.blobs.direct)
    throw new AdminError(
      '--list-bytes is for S3: bytes on the disk go with their data folder. Back up without it.',
    );
  await makeEmpty(folder, parts.dataFolder);
  const hold = await parts.blobs.hold();
  try {
    const key = await readFile(parts.keyPath);
    if (isUnfinished(key.toString('utf8'))) throw changing();
    const { tables, ...records } = await copyRecords(parts, folder);
    if (tables.some(({ name, rows }) => name === 'users' && rows === 0)) throw neverUsed();
    if (!key.equals(await readFile(parts.keyPath)))
      throw new AdminError('The master key was changed meanwhile: back up again.');
    const blobs = await copyBlobs({ ...parts, folder, bytes: options.bytes }, tables);
    const masterKey = options.withKey ? await writeKey(key, folder) : null;
    const id = newId();
    const unsealed = {
      format,
      id,
      version: softwareVersion,
      ...records,
      tables: tables.map(({ name, columns, rows, size, sha256 }) => ({ name, columns, rows, size, sha256 })),
      blobs,
      masterKey,
      sealedId: parts.secrets.seal(id, sealedIdContext),
    };
    await syncFolders(folder);
    if (hold.lapsed())
      throw new AdminError(
        'The store could not be held for minutes, so that bytes of this backup may be gone: back up again.',
      );
    const manifest: Manifest = { ...unsealed, seal: sealOf(unsealed, parts.secrets) };
    await writeManifest(folder, manifest);
    await syncFolder(folder);
    return manifest;
  } catch (error) {
    // The same command shall do it the next time, and its place may be what was missing. What cannot be removed either is said of the same disk.
    await empty(folder).catch(() => undefined);
    throw error;
  } finally {
    await hold.release();
  }
}

/** Removes what this backup has put into its folder, which was empty. */
async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}

/** A backup of them would be complete, and hold nothing of what is to be kept. */
function neverUsed(): AdminError {
  return new AdminError(
    'These records were never used, there is nothing to back up: set PLOIDY_DATA_DIR and PLOIDY_DATABASE_URL as the service has them.',
  );
}

/** Neither the key before nor the one after would open all that it holds. */
function changing(): AdminError {
  return new AdminError(
    'A change of the master key was begun and not finished: stop the service, run rotate-key to its end, and back up then.',
  );
}

async function makeEmpty(folder: string, dataFolder: string): Promise<void> {
  if (await isInside(folder, dataFolder))
    throw new AdminError('A backup lies outside the data folder: name another folder.');
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
  { dataFolder, databaseUrl, progress }: BackupParts,
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

/** The names of all files are on the disk before the manifest says that they are there. */
async function syncFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await syncFolder(join(entry.parentPath, entry.name));
  await syncFolder(folder);
}
