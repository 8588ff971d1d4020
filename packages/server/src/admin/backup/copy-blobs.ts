import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AdminError } from '../../base/admin-error.ts';
import type { Blobs } from '../../platform/blobs/index.ts';
import { inParallel } from '../../platform/concurrency/in-parallel.ts';
import type { TableShape } from '../../platform/records/index.ts';
import { blobListName, type Manifest, rowFile } from './manifest.ts';
import type { Progress } from './progress.ts';
import { measure, newFile, readRows, writeRows } from './row-file.ts';

const copiesAtOnce = 4;
const looksAtOnce = 16;
/** Maximum of missing or damaged blobs in an error. */
const namedMax = 20;

/** Blob as a row names it. */
interface Named {
  key: string;
  size: number | null;
  sha256: string | null;
}

/** Builds the path of a blob in a backup. */
export function blobPath(folder: string, key: string): string {
  return join(folder, 'blobs', key.slice(0, 2), key);
}

/**
 * Copies and lists the blobs that the rows name. Compares each with its row: its bytes, or only its size if
 * blobs are listed. Throws after the last blob, so that one run reports all missing or damaged ones.
 */
export async function copyBlobs(
  deps: { blobs: Blobs; folder: string; bytes: Manifest['blobs']['bytes']; progress: Progress },
  tables: readonly TableShape[],
): Promise<Manifest['blobs']> {
  const { blobs, folder, bytes, progress } = deps;
  const lost: string[] = [];
  const seen = new Set<string>();
  let size = 0;
  const atOnce = bytes === 'listed' ? looksAtOnce : copiesAtOnce;
  const copyAll = async function* (): AsyncGenerator<unknown[][]> {
    for await (const batch of namedBlobs(folder, tables)) {
      const fresh = batch.filter(({ key }) => !seen.has(key) && seen.add(key));
      const lines: unknown[][] = [];
      await inParallel(fresh, atOnce, async (named, index) => {
        const found = bytes === 'listed' ? await lookAt(blobs, named) : await copy(blobs, folder, named);
        if (found === undefined) lost.push(named.key);
        lines[index] = [named.key, found?.size ?? null, found?.sha256 ?? null];
        size += found?.size ?? 0;
        progress.add('blobs', 1, found?.size ?? 0);
      });
      yield lines;
    }
  };
  if (bytes === 'copied') await makeFans(folder);
  const { rows, ...list } = await writeRows(join(folder, blobListName), copyAll());
  if (lost.length > 0) throw lostBytes(lost);
  return { bytes, count: rows, size, list };
}

async function makeFans(folder: string): Promise<void> {
  for (let number = 0; number < 256; number += 1)
    await mkdir(join(folder, 'blobs', number.toString(16).padStart(2, '0')), {
      recursive: true,
      mode: 0o700,
    });
}

async function* namedBlobs(folder: string, tables: readonly TableShape[]): AsyncGenerator<Named[]> {
  for (const { name, columns } of tables) {
    const named = blobColumnsOf({ name, columns });
    if (named.length === 0) continue;
    for await (const rows of readRows(join(folder, rowFile(name)))) {
      yield rows.flatMap((row) =>
        named.flatMap(({ key, size, sha256 }) => {
          if (typeof row[key] !== 'string') return [];
          const valueAt = (at: number | undefined) => (at === undefined ? null : row[at]);
          return [
            { key: row[key], size: valueAt(size) as number | null, sha256: valueAt(sha256) as string | null },
          ];
        }),
      );
    }
  }
}

/** Compares the size of a blob with its row, without reading it; `undefined` if it is missing or differs. */
async function lookAt(blobs: Blobs, named: Named): Promise<Named | undefined> {
  const size = await blobs.sizeOf(named.key);
  if (size === undefined || (named.size !== null && named.size !== size)) return undefined;
  return { ...named, size };
}

/** Copies a blob; `undefined` if its bytes are missing or differ from its row. */
async function copy(blobs: Blobs, folder: string, named: Named): Promise<Named | undefined> {
  const source = await blobs.open(named.key).catch((error: unknown) => {
    if (error instanceof Error && Reflect.get(error, 'status') === 404) return undefined;
    throw error;
  });
  if (source === undefined) return undefined;
  const { through, info } = measure();
  await pipeline(source, through, createWriteStream(blobPath(folder, named.key), newFile));
  const { size, sha256 } = info();
  if (named.size !== null && named.size !== size) return undefined;
  if (named.sha256 !== null && named.sha256 !== sha256) return undefined;
  return { key: named.key, size, sha256 };
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
