import { createHash, type Hash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ClientError } from './client-error.ts';
import type { Received } from './download.ts';
import type { ByteSink } from './no-files.ts';

/** Bytes from which an unfinished download is kept for the next one of the same file. */
const keptFromBytes = 64 * 1024 * 1024;

/**
 * Writes the bytes into a sink, which stays open, or into a file. A file appears under its name when it is complete. It gets
 * the mode of the file that it replaces; a new one that of the process's umask.
 */
export async function save(
  bytes: AsyncIterable<Uint8Array>,
  sink: string | ByteSink,
  signal?: AbortSignal,
): Promise<void> {
  const options = signal ? { signal } : {};
  if (typeof sink !== 'string') return pipeline(bytes, sink as Writable, { ...options, end: false });
  const target = await targetOf(sink);
  // A pipe or a device is written to; renaming a file over it would replace it.
  if (!target.replaceable) return pipeline(bytes, createWriteStream(sink), options);
  // Not after the file: its name may be as long as names can be.
  const part = join(dirname(target.path), `ploidy-${randomUUID().slice(0, 8)}.part`);
  // Open before anything can fail: a stream that opens it by itself may make it after it was removed.
  const file = await open(part, 'wx', target.mode);
  try {
    await pipeline(bytes, file.createWriteStream(), options);
    await place(part, target);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Download of a file of the service into a local file. */
interface Download {
  fileId: string;
  path: string;
  /** Yields the bytes after those received; `onVersion` gets their entity tag before the first one. */
  bytes: (from: Received | undefined, onVersion: (etag: string | null) => void) => AsyncIterable<Uint8Array>;
  signal?: AbortSignal | undefined;
}

/**
 * Saves a file of the service. Bytes that a killed or interrupted process received are not received again. They are beside the
 * target, under a name with the file's id and version. The SHA-256 of the whole file is compared if the service names it.
 */
export async function saveFile(download: Download): Promise<void> {
  const { fileId, path, bytes, signal } = download;
  const target = await targetOf(path);
  if (!target.replaceable)
    return save(
      bytes(undefined, () => undefined),
      path,
      signal,
    );
  const left = await leftPart(dirname(target.path), fileId);
  if (left === undefined) return saveInto(download, target, undefined);
  try {
    await saveInto(download, target, left);
  } catch (error) {
    const isOther = error instanceof ClientError && (error.code === 'FILE_CHANGED' || error.status === 416);
    if (!isOther) throw error;
    await rm(left.path, { force: true });
    await saveInto(download, target, undefined);
  }
}

async function saveInto(
  { fileId, path, bytes, signal }: Download,
  target: Target,
  left: Part | undefined,
): Promise<void> {
  let etag: string | null = left?.etag ?? null;
  const onVersion = (found: string | null): void => {
    etag = found;
  };
  const source = bytes(left, onVersion)[Symbol.asyncIterator]();
  // The version is known with the first bytes.
  const first = await source.next();
  const part = left?.path ?? join(dirname(target.path), partName(fileId, etag));
  const file = await open(part, left ? 'a' : 'wx', target.mode);
  const hash = createHash('sha256');
  let size = left?.bytes ?? 0;
  try {
    if (left) await pipeline(createReadStream(part), hashing(hash));
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for (let next = first; !next.done; next = await source.next()) {
        size += next.value.length;
        hash.update(next.value);
        yield next.value;
      }
    };
    await pipeline(counted(), file.createWriteStream(), signal ? { signal } : {});
    requireHash(etag, hash, path);
    await place(part, target);
  } catch (error) {
    await source.return?.();
    const isOther = error instanceof ClientError && error.code === 'FILE_CHANGED';
    if (isOther || size < keptFromBytes) await rm(part, { force: true });
    throw error;
  }
}

/** Hashes bytes and passes none on. */
const hashing = (hash: Hash): Transform =>
  new Transform({
    transform(chunk, _, done) {
      hash.update(chunk);
      done();
    },
  }).resume();

/** Throws if the service names the SHA-256 of the file and another one arrived. */
function requireHash(etag: string | null, hash: Hash, path: string): void {
  const [, sha256] = /^"([0-9a-f]{64})"$/.exec(etag ?? '') ?? [];
  if (sha256 === undefined || hash.digest('hex') === sha256) return;
  const message = `The bytes for ${path} are not those of the file: they were damaged on the way. Try again.`;
  throw new ClientError(message, { status: 0, code: 'FILE_CHANGED' });
}

/** Unfinished download of a version of a file. */
interface Part extends Received {
  path: string;
  etag: string;
}

/** Names an unfinished download; one of an unknown or weak version is not found again. */
function partName(fileId: string, etag: string | null): string {
  if (etag === null || etag.startsWith('W/')) return `ploidy-${randomUUID().slice(0, 8)}.part`;
  return `ploidy-${safeName(fileId)}-${Buffer.from(etag).toString('base64url')}-${process.pid}.part`;
}

const safeName = (id: string): string => id.replace(/[^0-9A-Za-z]/g, '_');

/** Takes over the unfinished download of a process that ended. Renaming makes one process its only owner. */
async function leftPart(folder: string, fileId: string): Promise<Part | undefined> {
  const start = `ploidy-${safeName(fileId)}-`;
  for (const name of await readdir(folder)) {
    const [, tag = '', process = ''] = /^([\w-]+)-(\d+)\.part$/.exec(name.slice(start.length)) ?? [];
    if (!name.startsWith(start) || tag === '' || isRunning(Number(process))) continue;
    const etag = Buffer.from(tag, 'base64url').toString();
    const path = join(folder, partName(fileId, etag));
    try {
      await rename(join(folder, name), path);
      const { size: bytes } = await stat(path);
      if (bytes > 0) return { path, etag, bytes };
      await rm(path);
    } catch (error) {
      // Another process was first.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  return undefined;
}

/** Reports whether another process of this computer has this id. */
function isRunning(id: number): boolean {
  if (id === process.pid) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function place(part: string, target: Target): Promise<void> {
  if (target.mode !== undefined) await chmod(part, target.mode);
  await rename(part, target.path);
}

interface Target {
  path: string;
  replaceable: boolean;
  /** Mode of the existing file. */
  mode?: number;
}

async function targetOf(path: string): Promise<Target> {
  try {
    const found = await stat(path);
    // A pipe without a name (`/dev/stdout`) has no real path.
    if (!found.isFile()) return { path, replaceable: false };
    return { path: await realpath(path), replaceable: true, mode: found.mode & 0o777 };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { path, replaceable: true };
    throw error;
  }
}
