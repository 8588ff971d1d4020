import { createHmac } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AdminError } from '../admin-error.ts';
import { hasCode } from '../error-code.ts';
import type { Secrets } from '../platform/secrets/index.ts';
import type { FileInfo } from './row-file.ts';

/** The form of backups that this version writes and reads. */
export const format = 1;
/** Written last. */
export const manifestName = 'manifest.json';
export const sealedIdContext = 'backup';
export const keyName = 'master.key';
/** Lists the blobs: lines of `[key, size, sha256]`. */
export const blobListName = 'blobs.ndjson.gz';

/** Where the rows of a table lie. */
export const rowFile = (table: string): string => `records/${table}.ndjson.gz`;

/** What a backup holds. It is written last: a folder without it is no backup. */
export interface Manifest {
  format: number;
  /** Of this backup. */
  id: string;
  /** RFC 3339: the moment that the records are of. */
  madeAt: string;
  /** Of the service that made it. */
  version: string;
  /** The steps that the schema of the records had gone. */
  migrations: string[];
  /** Where they came from; they can go to either. */
  records: 'sqlite' | 'postgres';
  /** Their rows are in `records/<name>.ndjson.gz`: arrays, in the order of the columns. */
  tables: ({ name: string; columns: string[]; rows: number } & FileInfo)[];
  blobs: {
    /** `listed`: the bytes stayed in their store, and only their names, sizes and hashes are here. */
    bytes: 'copied' | 'listed';
    count: number;
    size: number;
    list: FileInfo;
  };
  /** The master key, when it is in the backup. */
  masterKey: FileInfo | null;
  /** The id, sealed with the master key: only a file with this key opens what is sealed in the records. */
  sealedId: string;
  /** HMAC-SHA256 of all this under a key derived from the master key: who has not got it can change nothing unseen. */
  seal: string;
}

/** The same for the same master key, and tells nothing of it. */
export function sealOf(manifest: Omit<Manifest, 'seal'>, secrets: Secrets): string {
  const { format, id, madeAt, version, migrations, records, tables, blobs, masterKey, sealedId } = manifest;
  const text = JSON.stringify([
    [format, id, madeAt, version, migrations, records],
    [tables, blobs, masterKey, sealedId],
  ]);
  return createHmac('sha256', secrets.derive('backup')).update(text).digest('hex');
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const file = await open(join(folder, manifestName), 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestName), 'utf8').catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    throw new AdminError(
      `${folder} is no complete backup: it has no ${manifestName}, which is written last.`,
    );
  });
  const found = parse(text);
  if (found === undefined) throw new AdminError(`The backup is damaged: ${manifestName} cannot be read.`);
  if (found.format !== format)
    throw new AdminError(
      `The backup has the form ${found.format}, this version reads ${format}: use the version that made it.`,
    );
  return found;
}

function parse(text: string): Manifest | undefined {
  try {
    const found = JSON.parse(text) as Manifest;
    const whole =
      typeof found.format === 'number' &&
      (found.format !== format ||
        (Array.isArray(found.migrations) &&
          Array.isArray(found.tables) &&
          typeof found.blobs.list === 'object'));
    return whole ? found : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
