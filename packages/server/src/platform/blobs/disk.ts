import { mkdirSync } from 'node:fs';
import { chmod, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { notFound, Problem } from '../../problem.ts';
import type { BlobInfo, Blobs, ByteRange, PutOptions } from './blobs.ts';
import { renameDurably, storageProblem } from './durable.ts';
import { Joiner } from './join-files.ts';
import { keyPath, newKey } from './keys.ts';
import { writeAndRead } from './ready.ts';
import { Scratch } from './scratch.ts';
import { sweepFolder } from './sweep.ts';
import { writeReceived } from './write-file.ts';

export interface DiskSettings {
  /** Holds `scratch/` and the blobs by the first two digits of their keys. Created, for its owner only. */
  folder: string;
}

/** How much of a file is read at a time. */
const readBytes = 256 * 1024;

/** Blobs as files of one folder. */
export function diskBlobs(settings: DiskSettings): Blobs {
  return new DiskBlobs(settings.folder);
}

class DiskBlobs implements Blobs {
  readonly #folder: string;
  readonly #scratch: Scratch;
  readonly #joiner = new Joiner();

  constructor(folder: string) {
    this.#folder = folder;
    this.#scratch = new Scratch(join(folder, 'scratch'));
    for (let number = 0; number < 256; number += 1) {
      mkdirSync(join(folder, number.toString(16).padStart(2, '0')), { recursive: true, mode: 0o700 });
    }
  }

  async put(source: Readable, options: PutOptions = {}): Promise<BlobInfo> {
    return this.#make((temporary) => writeReceived(temporary, source, options, true));
  }

  async join(keys: readonly string[], options: Omit<PutOptions, 'signal'> = {}): Promise<BlobInfo> {
    const paths = keys.map((key) => keyPath(this.#folder, key));
    return this.#make(async (temporary) => {
      const sizes: number[] = [];
      for (const path of paths) sizes.push((await stat(path).catch(missing)).size);
      return this.#joiner.join(paths, sizes, temporary, options).catch(missing);
    });
  }

  /** A new blob of what `write` writes into a scratch file and syncs; of a failure nothing is left. */
  async #make(write: (temporary: string) => Promise<{ size: number; sha256: string }>): Promise<BlobInfo> {
    const key = newKey();
    const temporary = join(this.#scratch.folder, key);
    try {
      const { size, sha256 } = await write(temporary);
      await renameDurably(temporary, keyPath(this.#folder, key));
      return { key, size, sha256 };
    } catch (error) {
      await rm(temporary, { force: true });
      throw storageProblem(error);
    }
  }

  async scratchPath(extension: string): Promise<string> {
    return this.#scratch.path(extension);
  }

  scratchFolder(): Promise<string> {
    return this.#scratch.makeFolder();
  }

  discardScratch(path: string): Promise<void> {
    return this.#scratch.discard(path);
  }

  async adopt(scratchPath: string, info: { size: number; sha256: string }): Promise<BlobInfo> {
    this.#scratch.requireOwn(scratchPath);
    const key = newKey();
    try {
      await syncFile(scratchPath, info.size);
      await renameDurably(scratchPath, keyPath(this.#folder, key));
    } catch (error) {
      throw storageProblem(error);
    }
    return { key, size: info.size, sha256: info.sha256 };
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    const file = await open(keyPath(this.#folder, key), 'r').catch(missing);
    try {
      const { size } = await file.stat();
      const { start, end } = range ?? { start: 0, end: size };
      if (!(Number.isSafeInteger(start) && 0 <= start && start <= end && end <= size)) {
        throw new Problem(416, 'RANGE_NOT_SATISFIABLE', `Ask for bytes within the first ${size}.`);
      }
      if (start === end) {
        await file.close();
        return Readable.from([]);
      }
      return file.createReadStream({ start, end: end - 1, highWaterMark: readBytes });
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async withLocal<T>(blobs: BlobInfo[], work: (paths: string[]) => Promise<T>): Promise<T> {
    const paths = blobs.map(({ key }) => keyPath(this.#folder, key));
    for (const path of paths) await stat(path).catch(missing);
    return work(paths);
  }

  async remove(key: string): Promise<void> {
    await rm(keyPath(this.#folder, key), { force: true });
  }

  sweep(ageMs: number, held: (keys: string[]) => Promise<Set<string>>): Promise<{ removed: number }> {
    return sweepFolder(this.#folder, this.#scratch.folder, Date.now() - ageMs, held);
  }

  check(): Promise<void> {
    return writeAndRead(this);
  }

  async close(): Promise<void> {
    // Nothing is held open.
  }
}

function missing(error: unknown): never {
  if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') throw notFound();
  throw error;
}

async function syncFile(path: string, size: number): Promise<void> {
  await chmod(path, 0o600);
  const file = await open(path, 'r+');
  try {
    const found = await file.stat();
    if (found.size !== size) throw new Error('The scratch file does not have the size its writer measured.');
    await file.sync();
  } finally {
    await file.close();
  }
}
