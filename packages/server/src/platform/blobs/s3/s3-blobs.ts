import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { inParallel } from '../../../in-parallel.ts';
import { Problem } from '../../../problem.ts';
import type {
  BlobInfo,
  Blobs,
  ByteRange,
  DirectTransfers,
  Hold,
  LocalOptions,
  PutOptions,
} from '../blobs.ts';
import { storageProblem } from '../durable.ts';
import { heldOnce } from '../held-once.ts';
import { newKey, ownerName } from '../keys.ts';
import { readyName, writeAndRead } from '../ready.ts';
import { sameBytes } from '../same-bytes.ts';
import { Scratch } from '../scratch.ts';
import { writeReceived } from '../write-file.ts';
import type { S3Address, S3Credentials } from './address.ts';
import { bytesBody } from './body.ts';
import { BlobCache } from './cache.ts';
import { S3Client, type S3Object } from './client.ts';
import { fetchObject } from './copies.ts';
import { directTransfers } from './direct.ts';
import { problemOf } from './errors.ts';
import { StoreHolds } from './holds.ts';
import { newJoinedBlob } from './new-blob.ts';
import { blobFolder, objectOf } from './object-key.ts';
import { ownFolder } from './own-folder.ts';
import { readObject } from './read.ts';
import { sweepStore } from './sweep.ts';
import { writeFile } from './write.ts';

export interface S3Settings {
  address: S3Address;
  credentials: S3Credentials;
  /** Local folder for files on their way into the store. */
  scratchFolder: string;
  /** Local folder for copies of what is read by processes. */
  cacheFolder: string;
  /** Bytes of all copies together. */
  cacheMaxBytes: number;
}

/** Blobs as objects of an S3-compatible store. Nothing is asked of the store before the first use. */
export async function s3Blobs(settings: S3Settings): Promise<Blobs> {
  const client = new S3Client(settings.address, settings.credentials);
  const scratch = new Scratch(settings.scratchFolder);
  const own = ownFolder(settings.cacheFolder);
  const cache = await BlobCache.open(join(own.folder, 'copies'), settings.cacheMaxBytes, (key, path) =>
    fetchObject(client, objectOf(key), path),
  );
  return new S3Blobs({ client, scratch, cache, release: own.release });
}

const headsAtOnce = 16;

interface Parts {
  client: S3Client;
  scratch: Scratch;
  cache: BlobCache;
  release: () => void;
}

class S3Blobs implements Blobs {
  readonly direct: DirectTransfers;
  readonly #client: S3Client;
  readonly #scratch: Scratch;
  readonly #cache: BlobCache;
  readonly #holds: StoreHolds;
  readonly #release: () => void;

  constructor({ client, scratch, cache, release }: Parts) {
    this.#client = client;
    this.#scratch = scratch;
    this.#cache = cache;
    this.#release = release;
    this.#holds = new StoreHolds(client);
    this.direct = directTransfers(client, this.#holds);
  }

  /** By way of a local file: its size and hashes are known before the store sees a byte, and a try that fails can be repeated. */
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
      return await newJoinedBlob(client, objects, options);
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
    return heldOnce(() => this.#cache.use(blobs, work, options));
  }

  async remove(key: string): Promise<void> {
    const object = objectOf(key);
    this.#cache.forget(key);
    try {
      if (!(await this.#holds.any())) await this.#client.remove(object);
    } catch (error) {
      throw problemOf(error);
    }
  }

  async sweep(ageMs: number, held: (keys: string[]) => Promise<Set<string>>): Promise<{ removed: number }> {
    const parts = { client: this.#client, cache: this.#cache, scratchFolder: this.#scratch.folder };
    const unlessKept = async (keys: string[]): Promise<Set<string>> => {
      const kept = await held(keys);
      return (await this.#holds.any()) ? new Set(keys) : kept;
    };
    try {
      await this.#holds.sweep();
      return await sweepStore(parts, ageMs, unlessKept);
    } catch (error) {
      throw problemOf(error);
    }
  }

  hold(): Promise<Hold> {
    return this.#holds.take();
  }

  holdFor(ms: number): Promise<void> {
    return this.#holds.last(ms);
  }

  async putBack(blob: BlobInfo, source: Readable): Promise<void> {
    const path = this.#scratch.path('put');
    try {
      sameBytes(blob, await writeReceived(path, source, { sizeMax: blob.size }, false));
      await writeFile(this.#client, objectOf(blob.key), { path, size: blob.size });
    } catch (error) {
      throw problemOf(storageProblem(error));
    } finally {
      await rm(path, { force: true });
    }
  }

  async owner(): Promise<string | undefined> {
    try {
      const { bytes } = await this.#client.get(ownerName);
      return (await text(bytes)).trim() || undefined;
    } catch (error) {
      const problem = problemOf(error);
      if (problem.status === 404) return undefined;
      throw problem;
    }
  }

  async mark(owner: string): Promise<void> {
    try {
      await this.#client.put(ownerName, bytesBody(Buffer.from(owner)));
    } catch (error) {
      throw problemOf(error);
    }
  }

  async isEmpty(): Promise<boolean> {
    try {
      return (await this.#client.list(blobFolder)).objects.length === 0;
    } catch (error) {
      throw problemOf(error);
    }
  }

  /** One object for all processes: it stays. */
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
    const key = newKey();
    try {
      await writeFile(this.#client, objectOf(key), { path, size }, signal);
    } catch (error) {
      if (error instanceof Problem || signal?.aborted) throw error;
      throw problemOf(storageProblem(error));
    }
    return { key, size, sha256 };
  }
}
