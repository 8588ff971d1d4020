import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Problem } from '../../../base/problem.ts';
import { doAll } from '../../concurrency/do-all.ts';
import { eachAlone } from '../../concurrency/each-alone.ts';
import { inParallel } from '../../concurrency/in-parallel.ts';
import { lockDataFolder } from '../../records/lock-data-folder.ts';
import type { Records } from '../../records/records.ts';
import type { BlobInfo, Blobs, ByteRange, DirectTransfers, LocalOptions, PutOptions } from '../blobs.ts';
import { storageProblem } from '../durable.ts';
import { heldOnce } from '../held-once.ts';
import { BlobIntents, type Removal } from '../intents.ts';
import { newKey } from '../keys.ts';
import { readyName, writeAndRead } from '../ready.ts';
import { requireSame } from '../receive.ts';
import { Scratch, scratchLifeMs } from '../scratch.ts';
import { writeReceived } from '../write-file.ts';
import type { S3Access, S3Address } from './address.ts';
import { bytesBody } from './body.ts';
import { BlobCache } from './cache.ts';
import { S3Client, type S3Object } from './client.ts';
import { directTransfers } from './direct.ts';
import { problemOf } from './errors.ts';
import { withExcerpts } from './excerpts.ts';
import { newJoinedBlob } from './new-blob.ts';
import { objectOf, sharedFolder } from './object-key.ts';
import { fetchObject, readObject } from './read.ts';
import { writeFile } from './write.ts';

interface S3Settings {
  address: S3Address;
  access: S3Access;
  /** Local folder for files on their way into the store. */
  scratchFolder: string;
  /** Local folder for copies of what is read by processes. */
  cacheFolder: string;
  /** Bytes of all copies together. */
  cacheMaxBytes: number;
  wholeMaxBytes: number;
  /** Keep the intents; absent: nothing is made or removed. */
  records: Records | undefined;
}

/** Blobs as objects of an S3-compatible store. Nothing is asked of the store before the first use. */
export async function s3Blobs(settings: S3Settings): Promise<Blobs> {
  const client = new S3Client(settings.address, settings.access);
  const scratch = new Scratch(settings.scratchFolder);
  const own = ownFolder(settings.cacheFolder);
  const cache = await BlobCache.open(join(own.folder, 'copies'), settings.cacheMaxBytes, (key, path) =>
    fetchObject(client, objectOf(key), path),
  );
  const { records, wholeMaxBytes } = settings;
  return new S3Blobs({ client, scratch, cache, wholeMaxBytes, records, release: own.release });
}

const headsAtOnce = 16;

interface Deps {
  client: S3Client;
  scratch: Scratch;
  cache: BlobCache;
  /** Blobs above this size are not copied whole where an excerpt is enough. */
  wholeMaxBytes: number;
  records: Records | undefined;
  release: () => void;
}

class S3Blobs implements Blobs {
  readonly direct: DirectTransfers;
  readonly #client: S3Client;
  readonly #scratch: Scratch;
  readonly #cache: BlobCache;
  readonly #wholeMaxBytes: number;
  readonly #intents: BlobIntents;
  readonly #release: () => void;

  constructor({ client, scratch, cache, wholeMaxBytes, records, release }: Deps) {
    this.#client = client;
    this.#scratch = scratch;
    this.#cache = cache;
    this.#wholeMaxBytes = wholeMaxBytes;
    this.#release = release;
    this.#intents = new BlobIntents(records, (removal) => this.#removeBytes(removal));
    this.direct = directTransfers(client, this.#intents);
  }

  /** Writes through a local file: its size and hashes are known before the store sees a byte, and a failed try can be repeated. */
  async put(source: Readable, options: PutOptions = {}): Promise<BlobInfo> {
    const path = this.#scratch.path('put');
    try {
      const info = await writeReceived(path, source, options, false).catch((error: unknown) => {
        throw storageProblem(error);
      });
      return await this.#store(path, info, options.signal);
    } finally {
      await rm(path, { force: true });
    }
  }

  async scratchPath(extension: string): Promise<string> {
    return this.#scratch.path(extension);
  }

  async share(bytes: Uint8Array, extension: string): Promise<string> {
    const key = `${sharedFolder}${newKey()}.${extension}`;
    await this.#client.put(key, bytesBody(bytes)).catch((error: unknown) => {
      throw problemOf(error);
    });
    return this.#client.addressOf(key);
  }

  addressOf(key: string): string {
    return this.#client.addressOf(objectOf(key));
  }

  inScratchFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
    return this.#scratch.inFolder(work);
  }

  discardScratch(path: string): Promise<void> {
    return this.#scratch.discard(path);
  }

  async adopt(scratchPath: string, info: { size: number; sha256: string }): Promise<BlobInfo> {
    this.#scratch.requireOwn(scratchPath);
    const { size } = await stat(scratchPath);
    if (size !== info.size) throw new Error('The scratch file does not have the size its writer measured.');
    const blob = await this.#store(scratchPath, info);
    await rm(scratchPath, { force: true });
    return blob;
  }

  async join(keys: readonly string[], options: Omit<PutOptions, 'signal'> = {}): Promise<BlobInfo> {
    const client = this.#client;
    try {
      const objects: S3Object[] = [];
      await inParallel(keys, headsAtOnce, async (key, index) => {
        objects[index] = await client.head(objectOf(key));
      });
      return await newJoinedBlob(client, this.#intents, objects, options);
    } catch (error) {
      throw problemOf(error);
    }
  }

  async sizeOf(key: string): Promise<number | undefined> {
    try {
      return (await this.#client.head(objectOf(key))).size;
    } catch (error) {
      const problem = problemOf(error);
      if (problem.status === 404) return undefined;
      throw problem;
    }
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    return readObject(this.#client, objectOf(key), range);
  }

  async withLocal<T>(
    blobs: BlobInfo[],
    work: (paths: string[]) => Promise<T>,
    options?: LocalOptions,
  ): Promise<T> {
    for (const { key } of blobs) objectOf(key);
    const deps = {
      ...{ client: this.#client, scratch: this.#scratch, cache: this.#cache },
      wholeMaxBytes: this.#wholeMaxBytes,
    };
    return heldOnce(() => withExcerpts(deps, blobs, work, options));
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#cache.forget(key);
    await this.#intents.remove(keys);
  }

  async #removeBytes({ key, upload_id }: Removal): Promise<void> {
    try {
      if (upload_id !== null) await this.#client.abortParts(objectOf(key), upload_id);
      await this.#client.remove(objectOf(key));
    } catch (error) {
      throw problemOf(error);
    }
  }

  async sweep(signal?: AbortSignal): Promise<void> {
    await doAll([
      () => this.sweepLocal(),
      () => this.#intents.sweep(signal),
      () => this.#sweepShared(signal),
    ]);
  }

  async #sweepShared(signal?: AbortSignal): Promise<void> {
    let after: string | undefined;
    do {
      const { objects, next } = await this.#client.list(sharedFolder, after);
      const old = objects.filter(({ modifiedAt }) => modifiedAt < Date.now() - scratchLifeMs);
      await eachAlone(old, ({ key }) => this.#client.remove(key), {
        failed: 'an old shared file could not be removed; it is tried again',
        about: ({ key }) => ({ key }),
        signal,
      });
      after = next;
    } while (after !== undefined);
  }

  async sweepLocal(): Promise<void> {
    await doAll([
      () => this.#scratch.sweep(Date.now() - scratchLifeMs),
      // Another process may have removed the blobs of these copies.
      async () => {
        for (const key of await this.#intents.unnamed(this.#cache.keys())) this.#cache.forget(key);
      },
    ]);
  }

  async recover(): Promise<void> {
    await doAll([() => this.#scratch.sweep(Number.POSITIVE_INFINITY), () => this.#intents.expireWrites()]);
  }

  async putBack(blob: BlobInfo, source: Readable): Promise<void> {
    const path = this.#scratch.path('put');
    try {
      requireSame(blob, await writeReceived(path, source, { sizeMax: blob.size }, false));
      // A restore has no records to note uploads in: parts of one that was killed are left to the lifecycle rules of the bucket.
      await writeFile(
        this.#client,
        objectOf(blob.key),
        { path, size: blob.size },
        { began: async () => undefined },
      );
    } catch (error) {
      throw problemOf(storageProblem(error));
    } finally {
      await rm(path, { force: true });
    }
  }

  /** Checks the store with one object for all processes, which stays. */
  async check(): Promise<void> {
    await writeAndRead(
      (bytes) => this.#client.put(readyName, bytesBody(bytes)),
      () => readObject(this.#client, readyName),
    ).catch((error: unknown) => {
      throw problemOf(error);
    });
  }

  async close(): Promise<void> {
    this.#client.close();
    this.#release();
  }

  async #store(
    path: string,
    { size, sha256 }: { size: number; sha256: string },
    signal?: AbortSignal,
  ): Promise<BlobInfo> {
    try {
      return await this.#intents.create(async (key) => {
        const began = (uploadId: string) => this.#intents.noteUpload(key, uploadId);
        await writeFile(this.#client, objectOf(key), { path, size }, { began, signal });
        return { size, sha256 };
      });
    } catch (error) {
      if (error instanceof Problem || signal?.aborted) throw error;
      throw problemOf(storageProblem(error));
    }
  }
}

/** Processes on one machine that may share a folder for copies. */
const processesMax = 32;

/**
 * Takes a folder below `root` that no other process uses until this one ends. A later process uses the same one again, with its
 * contents; several at once have one each.
 */
function ownFolder(root: string): { folder: string; release: () => void } {
  for (let number = 0; ; number += 1) {
    const folder = join(root, String(number));
    try {
      // A process keeps its folder for long: waiting for each would delay a start by seconds.
      const lock = lockDataFolder(folder, { waitMs: 0 });
      return { folder, release: () => lock.release() };
    } catch (error) {
      if (number === processesMax) throw error;
    }
  }
}
