import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { AdminError } from '../../base/admin-error.ts';
import type { Secrets } from '../../platform/secrets/index.ts';
import type { FileInfo } from './row-file.ts';
import type { BackupStore } from './store.ts';

/** Version of the backup format: 2 since several backups share the bytes of their blobs. */
export const format = 2;
/** A backup of this form is alone in its folder, which is read as a store with one backup. */
const formerFormat = 1;
/** File that is written last. */
export const manifestName = 'manifest.json';
export const sealedIdContext = 'backup';
export const keyName = 'master.key';
/** File of blobs: lines of `[key, size, sha256]`. */
export const blobListName = 'blobs.ndjson.gz';

/** Builds the path of the rows of a table. */
export const rowFile = (table: string): string => `records/${table}.ndjson.gz`;

/** A backup in its store. */
export interface Backup {
  store: BackupStore;
  /** Path of its files: `moments/<moment>/`, or empty for a backup of form 1. The bytes of blobs are in `blobs/` of the store. */
  folder: string;
}

/** Builds the path of a blob in a store. */
export const blobPath = (key: string): string => `blobs/${key.slice(0, 2)}/${key}`;

/** Contents of a backup. A folder without a manifest is no backup. */
export interface Manifest {
  format: number;
  /** Id of this backup. */
  id: string;
  /** Time of the snapshot (RFC 3339). */
  madeAt: string;
  /** Version of the service that created it. */
  version: string;
  /** Applied migrations of the records. */
  migrations: string[];
  /** Origin of the records; either kind of database can restore them. */
  records: 'sqlite' | 'postgres';
  /** Tables with their rows in `records/<name>.ndjson.gz`: arrays, in the order of the columns. */
  tables: ({ name: string; columns: string[]; rows: number } & FileInfo)[];
  blobs: {
    /** `listed`: the bytes remain in the store of the service; the backup has names, sizes and hashes. */
    bytes: 'copied' | 'listed';
    count: number;
    size: number;
    list: FileInfo;
  };
  /** Master key, if the backup includes it. */
  masterKey: FileInfo | null;
  /** Id sealed with the master key, to recognise the key that opens the records. */
  sealedId: string;
  /** HMAC-SHA256 of the manifest under a key derived from the master key, to detect changes. */
  seal: string;
}

/** Computes the seal of a manifest, without revealing the master key. */
export function sealOf(manifest: Omit<Manifest, 'seal'>, secrets: Secrets): string {
  const { format, id, madeAt, version, migrations, records, tables, blobs, masterKey, sealedId } = manifest;
  const sealed = JSON.stringify([
    [format, id, madeAt, version, migrations, records],
    [tables, blobs, masterKey, sealedId],
  ]);
  return createHmac('sha256', secrets.derive('backup')).update(sealed).digest('hex');
}

export async function writeManifest({ store, folder }: Backup, manifest: Manifest): Promise<void> {
  const lines = `${JSON.stringify(manifest, null, 2)}\n`;
  await store.write(`${folder}${manifestName}`, Readable.from([Buffer.from(lines)]));
}

/** Reads the manifest of a backup; `undefined` if it was not completed. */
export async function findManifest({ store, folder }: Backup): Promise<Manifest | undefined> {
  const file = await store.read(`${folder}${manifestName}`);
  if (file === undefined) return undefined;
  const found = parse(await text(file));
  if (found === undefined)
    throw new AdminError(`The backup is damaged: ${folder}${manifestName} cannot be read.`);
  if (found.format !== format && found.format !== formerFormat)
    throw new AdminError(
      `The backup has the form ${found.format}, this version reads ${format}: use the version that made it.`,
    );
  return found;
}

function parse(lines: string): Manifest | undefined {
  try {
    const found = JSON.parse(lines) as Manifest;
    const whole =
      typeof found.format === 'number' &&
      (found.format > format ||
        (Array.isArray(found.migrations) &&
          Array.isArray(found.tables) &&
          typeof found.blobs.list === 'object'));
    return whole ? found : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
