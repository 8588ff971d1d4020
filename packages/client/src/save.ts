import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteSink } from './no-files.ts';

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
    if (target.mode !== undefined) await chmod(part, target.mode);
    await rename(part, target.path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
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
