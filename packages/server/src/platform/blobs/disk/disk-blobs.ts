import { createReadStream } from 'node:fs';
import { mkdir, open, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { hasCode } from '../../../base/error-code.ts';
import { notFound, Problem } from '../../../base/problem.ts';
import { doAll } from '../../concurrency/do-all.ts';
import type { Records } from '../../records/records.ts';
import type { BlobInfo, Blobs, ByteRange, OpenOptions, PutOptions } from '../blobs.ts';
import { removeDurably, renameDurably, storageProblem, syncFolder } from '../durable.ts';
import { heldOnce } from '../held-once.ts';
import { BlobIntents } from '../intents.ts';
import { keyPath, newKey } from '../keys.ts';
import { readyName, writeAndRead } from '../ready.ts';
import { requireSame } from '../receive.ts';
import { Scratch, scratchLifeMs } from '../scratch.ts';
import { writeReceived } from '../write-file.ts';
import { Joiner } from './join-files.ts';
import { PassedOnFile } from './passed-on.ts';

interface DiskSettings {
  /** Holds `scratch/` and the blobs by the first two digits of their keys. Created, for its owner only. */
  folder: string;
  /** Bytes that new blobs leave free on its disk; absent: a share of it. */
  reserveBytes?: number | undefined;
  /** Keep the intents; absent: nothing is made or removed. */
  records?: Records | undefined;
}

/** Bytes of a file that are read at a time. */
const readBytes = 256 * 1024;

/** Blobs as files of one folder. */
export function diskBlobs(settings: DiskSettings): Blobs {
  return new DiskBlobs(settings);
}

class DiskBlobs implements Blobs {
  readonly #folder: string;
  readonly #scratch: Scratch;
  readonly #joiner = new Joiner();
  readonly #intents: BlobIntents;
  readonly #reserve: DiskReserve;

  constructor({ folder, reserveBytes, records }: DiskSettings) {
    this.#folder = folder;
    this.#reserve = new DiskReserve(folder, reserveBytes);
    this.#scratch = new Scratch(join(folder, 'scratch'));
    this.#intents = new BlobIntents(records, ({ key }) => removeDurably(keyPath(folder, key)));
  }

  async put(source: Readable, options: PutOptions = {}): Promise<BlobInfo> {
    const room = () => this.#reserve.require();
    return this.#make((temporary) => writeReceived(temporary, source, options, true, room));
  }

  async join(keys: readonly string[], options: Omit<PutOptions, 'signal'> = {}): Promise<BlobInfo> {
    const paths = keys.map((key) => keyPath(this.#folder, key));
    return this.#make(async (temporary) => {
      await this.#reserve.require();
      const sizes: number[] = [];
      for (const path of paths) sizes.push((await stat(path).catch(missing)).size);
      return this.#joiner.join(paths, sizes, temporary, options).catch(missing);
    });
  }

  /** Makes a blob of what `write` writes into a scratch file and syncs; a failure leaves nothing. */
  async #make(write: (temporary: string) => Promise<{ size: number; sha256: string }>): Promise<BlobInfo> {
    return this.#viaScratch(async (temporary) => {
      const written = await write(temporary);
      return this.#intents.create(async (key) => {
        await this.#place(temporary, keyPath(this.#folder, key));
        return written;
      });
    });
  }

  /** Lends `work` the path of a scratch file, which a failure removes. */
  async #viaScratch<T>(work: (temporary: string) => Promise<T>): Promise<T> {
    const temporary = join(this.#scratch.folder, newKey());
    try {
      return await work(temporary);
    } catch (error) {
      await rm(temporary, { force: true });
      throw storageProblem(error);
    }
  }

  /** Moves a synced file to its place; the folder is created with its first blob. */
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

  /** Scratch files are swept after a day. */
  async share(bytes: Uint8Array, extension: string): Promise<string> {
    const path = this.#scratch.path(extension);
    await writeFile(path, bytes, { mode: 0o600 });
    return pathToFileURL(path).href;
  }

  addressOf(key: string): string {
    return pathToFileURL(keyPath(this.#folder, key)).href;
  }

  async scratchPath(extension: string): Promise<string> {
    return this.#scratch.path(extension);
  }

  async inScratchFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
    await this.#reserve.require().catch((error: unknown) => {
      throw storageProblem(error);
    });
    return this.#scratch.inFolder(work);
  }

  discardScratch(path: string): Promise<void> {
    return this.#scratch.discard(path);
  }

  async adopt(scratchPath: string, info: { size: number; sha256: string }): Promise<BlobInfo> {
    this.#scratch.requireOwn(scratchPath);
    const { size, sha256 } = info;
    try {
      await syncFile(scratchPath, size);
      return await this.#intents.create(async (key) => {
        await this.#place(scratchPath, keyPath(this.#folder, key));
        return { size, sha256 };
      });
    } catch (error) {
      throw storageProblem(error);
    }
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

  async remove(keys: readonly string[]): Promise<void> {
    await this.#intents.remove(keys);
  }

  async sweep(signal?: AbortSignal): Promise<void> {
    await doAll([() => this.sweepLocal(), () => this.#intents.sweep(signal)]);
  }

  async sweepLocal(): Promise<void> {
    await this.#scratch.sweep(Date.now() - scratchLifeMs);
  }

  async recover(): Promise<void> {
    await doAll([() => this.#scratch.sweep(Number.POSITIVE_INFINITY), () => this.#intents.expireWrites()]);
  }

  async putBack(blob: BlobInfo, source: Readable): Promise<void> {
    const path = keyPath(this.#folder, blob.key);
    await this.#viaScratch(async (temporary) => {
      requireSame(blob, await writeReceived(temporary, source, { sizeMax: blob.size }, true));
      await this.#place(temporary, path);
    });
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
    // A right mode is left alone: a change would have to be synced again.
    if ((found.mode & 0o777) !== 0o600) await file.chmod(0o600);
    if (found.size !== size) throw new Error('The scratch file does not have the size its writer measured.');
    await file.sync();
  } finally {
    await file.close();
  }
}

const gibibyte = 1024 ** 3;
/** Share of a disk that is kept free, where no number of bytes is set. */
const reservePart = 0.05;

/**
 * Disk space that new blobs leave free, so that records are still written: a deletion that frees space is one of them. `bytes`: undefined
 * for a twentieth of the disk, at most 1 GiB.
 */
class DiskReserve {
  readonly #folder: string;
  readonly #bytes: number | undefined;

  constructor(folder: string, bytes: number | undefined) {
    this.#folder = folder;
    this.#bytes = bytes;
  }

  /** Rejects with an `ENOSPC` error when less is free. */
  async require(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(this.#folder);
    const reserved = this.#bytes ?? Math.min(gibibyte, blocks * bsize * reservePart);
    if (bavail * bsize >= reserved) return;
    throw Object.assign(new Error('Only the reserve of the disk is free.'), { code: 'ENOSPC' });
  }
}
