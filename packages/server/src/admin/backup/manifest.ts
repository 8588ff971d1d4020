import { createHmac } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AdminError } from '../../base/admin-error.ts';
import { hasCode } from '../../base/error-code.ts';
import type { Secrets } from '../../platform/secrets/index.ts';
import type { FileInfo } from './row-file.ts';

/** Version of the backup format. */
export const format = 1;
/** File that is written last. */
export const manifestName = 'manifest.json';
export const sealedIdContext = 'backup';
export const keyName = 'master.key';
/** File of blobs: lines of `[key, size, sha256]`. */
export const blobListName = 'blobs.ndjson.gz';

/** Builds the path of the rows of a table. */
export const rowFile = (table: string): string => `records/${table}.ndjson.gz`;

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
    /** `listed`: the bytes remain in their store; the backup has names, sizes and hashes. */
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
