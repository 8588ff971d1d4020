import { randomInt } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Core } from '../../app/core.ts';
import { hasCode } from '../../base/error-code.ts';
import { Problem } from '../../base/problem.ts';
import { orphanedKeys, whileKept } from '../../platform/blobs/index.ts';
import { received } from '../../platform/blobs/receive.ts';
import { inParallel } from '../../platform/concurrency/in-parallel.ts';
import { openSnapshot } from '../../platform/records/index.ts';
import { type Named, namedIn } from '../backup/copy-blobs.ts';
import type { Progress } from '../backup/progress.ts';

const looksAtOnce = 16;
/** Files whose bytes are read where not all are, and the sum of their bytes. */
const sampleMax = 100;
const sampleBytesMax = 1024 ** 3;

/** A file that is not as the records or the service need it. */
export interface Finding {
  code: 'MISSING' | 'SIZE' | 'DIGEST' | 'UNREADABLE' | 'ORPHAN' | 'OWNER' | 'MODE';
  /** Path in the data folder, or key in the store. */
  file: string;
  /** Difference, or the table that names the file. */
  about: string;
}

/** Files that rows name. */
interface NamedFiles {
  files: number;
  bytes: number;
  /** Files whose bytes were compared too. */
  read: number;
  findings: Finding[];
}

type Found = Named & { table: string };

/**
 * Looks for every file that the records name, and compares its size; of all or a random sample the SHA-256 too. Runs beside the service:
 * removals pause meanwhile.
 */
export function checkNamedFiles(
  { records, blobs }: Core,
  place: { folder: string; databaseUrl: string },
  { all, progress }: { all: boolean; progress: Progress },
): Promise<NamedFiles> {
  return whileKept(records, async () => {
    const snapshot = await openSnapshot(place);
    const report: NamedFiles = { files: 0, bytes: 0, read: 0, findings: [] };
    const seen = new Set<string>();
    const sample: Found[] = [];
    const readAll = async (found: Found): Promise<void> => {
      report.read += 1;
      const code = await differenceIn(blobs, found);
      if (code) report.findings.push({ code, file: found.key, about: found.table });
    };
    const look = async (found: Found): Promise<void> => {
      const size = await blobs.sizeOf(found.key);
      report.files += 1;
      report.bytes += size ?? 0;
      progress.add('files', 1, size ?? 0);
      const isSize = found.size === null || found.size === size;
      if (size === undefined || !isSize)
        report.findings.push({
          code: size === undefined ? 'MISSING' : 'SIZE',
          file: found.key,
          about: found.table,
        });
      else if (all) await readAll(found);
      else sampled(sample, { ...found, size }, report.files);
    };
    try {
      for (const table of snapshot.tables)
        for await (const batch of namedIn(table, snapshot.rows(table))) {
          const fresh = batch.filter(({ key }) => !seen.has(key) && seen.add(key));
          await inParallel(fresh, looksAtOnce, (named) => look({ ...named, table: table.name }));
        }
    } finally {
      await snapshot.close();
    }
    await inParallel(affordable(sample), looksAtOnce, readAll);
    return report;
  });
}

/** Keeps each of `count` files with equal chance (reservoir sampling). */
function sampled(sample: Found[], found: Found, count: number): void {
  const at = sample.length < sampleMax ? sample.length : randomInt(count);
  if (at < sampleMax) sample[at] = found;
}

/** Leaves out the files with which the sum of bytes would be too large. */
function affordable(sample: readonly Found[]): Found[] {
  let left = sampleBytesMax;
  return sample.filter(({ size }) => {
    const fits = (size ?? 0) <= left;
    if (fits) left -= size ?? 0;
    return fits;
  });
}

async function differenceIn(
  blobs: Core['blobs'],
  { key, size, sha256 }: Named,
): Promise<Finding['code'] | undefined> {
  try {
    const found = await received(await blobs.open(key));
    if (size !== null && found.size !== size) return 'SIZE';
    return sha256 === null || found.sha256 === sha256 ? undefined : 'DIGEST';
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return 'MISSING';
    if (hasCode(error, 'EACCES', 'EPERM', 'EIO')) return 'UNREADABLE';
    throw error;
  }
}

/**
 * Finds files of the data folder that belong to another user, are open to others, or that no row names. Runs beside the service.
 * `records`: absent, nothing is known of names.
 */
export async function checkFolder(folder: string, records?: Core['records']): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const files of foldersOf(folder)) {
    const stored: string[] = [];
    for (const path of files) {
      const file = relative(folder, path);
      const found = await lstat(path).catch(ignoreMissing);
      if (found === undefined) continue;
      const owner = process.geteuid?.();
      if (owner !== undefined && found.uid !== owner)
        findings.push({
          code: 'OWNER',
          file,
          about: `belongs to the user with the id ${found.uid}, not ${owner}`,
        });
      const mode = found.mode & 0o777;
      const isUsable = (mode & 0o600) === 0o600;
      if (owner !== undefined && (!isUsable || (mode & 0o077) !== 0))
        findings.push({ code: 'MODE', file, about: `has the mode ${mode.toString(8)}` });
      if (found.isFile() && file.startsWith('blobs')) stored.push(file);
    }
    if (records) findings.push(...(await orphansAmong(folder, stored, records)));
  }
  return findings;
}

/** Returns those that no row and no work under way names, and that are there still. */
async function orphansAmong(folder: string, files: string[], records: Core['records']): Promise<Finding[]> {
  const byKey = new Map(files.map((file) => [file.slice(file.lastIndexOf('/') + 1), file]));
  const orphans: Finding[] = [];
  for (const key of await orphanedKeys(records.read, [...byKey.keys()])) {
    const file = byKey.get(key) ?? key;
    const found = await lstat(join(folder, file)).catch(ignoreMissing);
    if (found)
      orphans.push({ code: 'ORPHAN', file, about: `${found.size} bytes of ${found.mtime.toISOString()}` });
  }
  return orphans;
}

/** Yields the paths of records, key and blobs, folder by folder; bytes that are being written are left out. */
async function* foldersOf(folder: string): AsyncGenerator<string[]> {
  const names = async (path: string): Promise<string[]> =>
    ((await readdir(path).catch(ignoreMissing)) ?? []).map((name) => join(path, name));
  const isRecords = (path: string): boolean => /records\.sqlite(-wal|-shm)?$/.test(path);
  yield (await names(folder)).filter(isRecords);
  yield names(join(folder, 'secrets'));
  const parts = (await names(join(folder, 'blobs'))).filter((path) => !path.endsWith('scratch'));
  yield parts;
  for (const part of parts) if ((await lstat(part)).isDirectory()) yield names(part);
}

function ignoreMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
  return undefined;
}
