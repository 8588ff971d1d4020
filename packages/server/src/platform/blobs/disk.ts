import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { hasCode } from '../../error-code.ts';
import { notFound, Problem } from '../../problem.ts';
import type { BlobInfo, Blobs, ByteRange, Hold, OpenOptions, PutOptions } from './blobs.ts';
import { renameDurably, storageProblem, syncFolder } from './durable.ts';
import { heldOnce } from './held-once.ts';
import { FolderHolds } from './holds.ts';
import { Joiner } from './join-files.ts';
import { keyPath, newKey, ownerName } from './keys.ts';
import { PassedOnFile } from './passed-on.ts';
import { readyName, writeAndRead } from './ready.ts';
import { sameBytes } from './same-bytes.ts';
import { Scratch } from './scratch.ts';
import { fansOf, sweepFolder } from './sweep.ts';
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
  readonly #holds: FolderHolds;

  constructor(folder: string) {
    this.#folder = folder;
    this.#scratch = new Scratch(join(folder, 'scratch'));
    this.#holds = new FolderHolds(join(folder, 'holds'));
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
    return { key, ...(await this.#store(keyPath(this.#folder, key), write)) };
  }

  /** Puts what `write` writes into a scratch file and syncs at its place. */
  async #store<T>(path: string, write: (temporary: string) => Promise<T>): Promise<T> {
    const temporary = join(this.#scratch.folder, newKey());
    try {
      const written = await write(temporary);
      await this.#place(temporary, path);
      return written;
    } catch (error) {
      await rm(temporary, { force: true });
      throw storageProblem(error);
    }
  }

  /** Brings a synced file to its place, whose folder is made when the first blob of its kind comes. */
  async #place(from: string, to: string): Promise<void> {
    try {
      await renameDurably(from, to);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
      const made = await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      if (made !== undefined) await syncFolder(this.#folder);
      await renameDurably(from, to);
    }
  }

  async scratchPath(extension: string): Promise<string> {
    return this.#scratch.path(extension);
  }

  inScratchFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
    return this.#scratch.inFolder(work);
  }

  discardScratch(path: string): Promise<void> {
    return this.#scratch.discard(path);
  }

  async adopt(scratchPath: string, info: { size: number; sha256: string }): Promise<BlobInfo> {
    this.#scratch.requireOwn(scratchPath);
    const key = newKey();
    try {
      await syncFile(scratchPath, info.size);
      await this.#place(scratchPath, keyPath(this.#folder, key));
    } catch (error) {
      throw storageProblem(error);
    }
    return { key, size: info.size, sha256: info.sha256 };
  }

  async sizeOf(key: string): Promise<number | undefined> {
    try {
      return (await stat(keyPath(this.#folder, key))).size;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  async open(key: string, range?: ByteRange, { passedOn = false }: OpenOptions = {}): Promise<Readable> {
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
      if (passedOn) return new PassedOnFile(file, { start, end });
      return file.createReadStream({ start, end: end - 1, highWaterMark: readBytes });
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async withLocal<T>(blobs: BlobInfo[], work: (paths: string[]) => Promise<T>): Promise<T> {
    const paths = blobs.map(({ key }) => keyPath(this.#folder, key));
    for (const path of paths) await stat(path).catch(missing);
    return heldOnce(() => work(paths));
  }

  async remove(key: string): Promise<void> {
    const path = keyPath(this.#folder, key);
    if (!(await this.#holds.any())) await rm(path, { force: true });
  }

  async sweep(ageMs: number, held: (keys: string[]) => Promise<Set<string>>): Promise<{ removed: number }> {
    await this.#holds.sweep();
    return sweepFolder(this.#folder, this.#scratch.folder, Date.now() - ageMs, async (keys) => {
      const kept = await held(keys);
      return (await this.#holds.any()) ? new Set(keys) : kept;
    });
  }

  hold(): Promise<Hold> {
    return this.#holds.take();
  }

  holdFor(ms: number): Promise<void> {
    return this.#holds.last(ms);
  }

  async putBack(blob: BlobInfo, source: Readable): Promise<void> {
    const path = keyPath(this.#folder, blob.key);
    await this.#store(path, async (temporary) => {
      sameBytes(blob, await writeReceived(temporary, source, { sizeMax: blob.size }, true));
    });
  }

  async owner(): Promise<string | undefined> {
    const text = await readFile(join(this.#folder, ownerName), 'utf8').catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return '';
      throw error;
    });
    return text.trim() || undefined;
  }

  async mark(owner: string): Promise<void> {
    await this.#store(join(this.#folder, ownerName), (temporary) =>
      writeReceived(temporary, Readable.from([owner]), {}, true),
    );
  }

  async isEmpty(): Promise<boolean> {
    for (const fan of await fansOf(this.#folder)) {
      if ((await readdir(join(this.#folder, fan))).length > 0) return false;
    }
    return true;
  }

  async check(): Promise<void> {
    const path = this.#scratch.path(readyName);
    try {
      await writeAndRead(
        (bytes) => writeReceived(path, Readable.from([bytes]), {}, true),
        async () => createReadStream(path),
      );
    } catch (error) {
      throw storageProblem(error);
    } finally {
      await rm(path, { force: true });
    }
  }

  async close(): Promise<void> {
    // Nothing is held open.
  }
}

function missing(error: unknown): never {
  throw hasCode(error, 'ENOENT') ? notFound() : storageProblem(error);
}

async function syncFile(path: string, size: number): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const found = await file.stat();
    // What is right already is left: its writer has synced it, and a change would have to be synced again.
    if ((found.mode & 0o777) !== 0o600) await file.chmod(0o600);
    if (found.size !== size) throw new Error('The scratch file does not have the size its writer measured.');
    await file.sync();
  } finally {
    await file.close();
  }
}
