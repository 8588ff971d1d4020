import { AdminError } from '../../base/admin-error.ts';
import type { Blobs } from '../../platform/blobs/index.ts';
import { isPlaced } from '../../platform/blobs/keys.ts';
import { inParallel } from '../../platform/concurrency/in-parallel.ts';
import type { TableShape } from '../../platform/records/index.ts';
import { type Backup, blobListName, blobPath, type Manifest, rowFile } from './manifest.ts';
import type { Progress } from './progress.ts';
import { readRows, rowBytes } from './row-file.ts';
import { listedBlobs, openFile } from './verify-backup.ts';

const copiesAtOnce = 4;
const looksAtOnce = 16;
/** Maximum of missing or damaged blobs in an error. */
const namedMax = 20;

/** Blob as a row names it. */
export interface Named {
  key: string;
  size: number | null;
  sha256: string | null;
}

/** Blobs of earlier backups of the store, by key. */
type Held = Map<string, { size: number; sha256: string | null }>;

/** Store of the service, and the backup that is made of it. */
interface Copy {
  blobs: Blobs;
  backup: Backup;
  /** Last complete backup of the store. */
  previous: Backup | undefined;
  bytes: Manifest['blobs']['bytes'];
  progress: Progress;
}

/**
 * Copies and lists the blobs that the rows name. Blobs never change: those of earlier backups are not copied again. Compares
 * each with its row: the bytes that are copied, or only the size. Throws after the last blob, so that one run reports all missing
 * or damaged ones. Returns how many were copied as well.
 */
export async function copyBlobs(
  deps: Copy,
  tables: readonly TableShape[],
): Promise<{ blobs: Manifest['blobs']; copied: number }> {
  const { backup, bytes, progress } = deps;
  const held = bytes === 'copied' ? await heldBlobs(deps) : new Map();
  const lost: string[] = [];
  const seen = new Set<string>();
  let size = 0;
  let copied = 0;
  const atOnce = bytes === 'listed' ? looksAtOnce : copiesAtOnce;
  const copyAll = async function* (): AsyncGenerator<unknown[][]> {
    for await (const batch of namedBlobs(backup, tables)) {
      const fresh = batch.filter(({ key }) => !seen.has(key) && seen.add(key));
      const lines: unknown[][] = [];
      await inParallel(fresh, atOnce, async (named, index) => {
        const known = bytes === 'listed' ? named : heldAs(held, named);
        const found = known ? await lookAt(deps.blobs, known) : await copy(deps, named);
        if (found === undefined) lost.push(named.key);
        lines[index] = [named.key, found?.size ?? null, found?.sha256 ?? null];
        size += found?.size ?? 0;
        if (!known) copied += 1;
        progress.add(known ? 'blobs that are there' : 'blobs', 1, found?.size ?? 0);
      });
      yield lines;
    }
  };
  const rows = rowBytes(copyAll());
  const list = await backup.store.write(`${backup.folder}${blobListName}`, rows.bytes);
  if (lost.length > 0) throw lostBytes(lost);
  if (list === undefined) throw new Error('The list of blobs was not written.');
  return { blobs: { bytes, count: rows.count(), size, list }, copied };
}

/** Finds the blobs in the store of backups, also those of backups that were cut off. The last list has the hashes. */
async function heldBlobs({ backup: { store }, previous }: Copy): Promise<Held> {
  const held: Held = new Map();
  for await (const { path, size } of store.list('blobs/'))
    held.set(path.slice(path.lastIndexOf('/') + 1), { size, sha256: null });
  if (previous === undefined) return held;
  for await (const batch of listedBlobs(previous))
    for (const { key, size, sha256 } of batch)
      if (held.get(key)?.size === size) held.set(key, { size, sha256 });
  return held;
}

/** Returns a blob that needs no copy: with a hash, and not contradicted by its row. */
function heldAs(held: Held, { key, size, sha256 }: Named): Named | undefined {
  const found = held.get(key);
  if (found === undefined || (size !== null && size !== found.size)) return undefined;
  const hash = sha256 ?? found.sha256;
  if (hash === null || (found.sha256 !== null && found.sha256 !== hash)) return undefined;
  return { key, size: found.size, sha256: hash };
}

async function* namedBlobs(backup: Backup, tables: readonly TableShape[]): AsyncGenerator<Named[]> {
  for (const table of tables)
    if (blobColumnsOf(table).length > 0)
      yield* namedIn(table, readRows(await openFile(backup, rowFile(table.name))));
}

/** Yields the blobs that rows of a table name, batch by batch; none for a table without blobs, whose rows are not read. */
export async function* namedIn(
  table: { name: string; columns: readonly string[] },
  batches: AsyncIterable<unknown[][]>,
): AsyncGenerator<Named[]> {
  const named = blobColumnsOf(table);
  if (named.length === 0) return;
  for await (const rows of batches) {
    yield rows.flatMap((row) =>
      named.flatMap(({ key, size, sha256 }) => {
        // Objects of connected buckets are not the service's to copy.
        if (typeof row[key] !== 'string' || isPlaced(row[key])) return [];
        const valueAt = (at: number | undefined) => (at === undefined ? null : row[at]);
        return [
          { key: row[key], size: valueAt(size) as number | null, sha256: valueAt(sha256) as string | null },
        ];
      }),
    );
  }
}

/** Compares the size of a blob with its row, without reading it; `undefined` if it is missing or differs. */
async function lookAt(blobs: Blobs, named: Named): Promise<Named | undefined> {
  const size = await blobs.sizeOf(named.key);
  if (size === undefined || (named.size !== null && named.size !== size)) return undefined;
  return { ...named, size };
}

/** Copies a blob; `undefined` if its bytes are missing or differ from its row. */
async function copy(
  { blobs, backup: { store } }: Copy,
  { key, ...named }: Named,
): Promise<Named | undefined> {
  const source = await blobs.open(key).catch((error: unknown) => {
    if (error instanceof Error && Reflect.get(error, 'status') === 404) return undefined;
    throw error;
  });
  if (source === undefined) return undefined;
  const info = await store.write(
    blobPath(key),
    source,
    ({ size, sha256 }) => (named.size ?? size) === size && (named.sha256 ?? sha256) === sha256,
  );
  return info && { key, ...info };
}

function lostBytes(keys: string[]): AdminError {
  const more = keys.length > namedMax ? ` and ${keys.length - namedMax} more` : '';
  return new AdminError(
    `The bytes of ${keys.length} blobs are missing or damaged in the store, so this is no complete backup: ` +
      `${keys.slice(0, namedMax).join(', ')}${more}. Their rows are those with these values of blob_key: ` +
      'restore the bytes from an earlier backup, or delete the files, then back up again.',
  );
}

/** Positions of a blob's columns in a table. */
interface BlobColumn {
  key: number;
  /** Absent if the table has no such column. */
  size: number | undefined;
  sha256: number | undefined;
}

/** Columns of blobs that belong to a file. If the file has been overwritten, the blob is gone. */
const borrowed = new Set(['readgroup_sets.reads_blob', 'uploads.made_blob', 'variant_indexes.source_blob']);

/**
 * Finds blob columns by name: `…blob_key` or `…_blob`, with `…size` and `…sha256`. A test holds the schema to
 * these names.
 */
export function blobColumnsOf(table: { name: string; columns: readonly string[] }): BlobColumn[] {
  const at = (name: string): number | undefined => {
    const index = table.columns.indexOf(name);
    return index < 0 ? undefined : index;
  };
  return table.columns.flatMap((column, key) => {
    const [, prefix] = /^(|.*_)blob(?:_key)?$/.exec(column) ?? [];
    if (prefix === undefined || borrowed.has(`${table.name}.${column}`)) return [];
    return [{ key, size: at(`${prefix}size`), sha256: at(`${prefix}sha256`) }];
  });
}
