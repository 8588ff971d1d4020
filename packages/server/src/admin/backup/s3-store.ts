import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Readable } from 'node:stream';
import { newId } from '../../base/ids.ts';
import type { S3Access, S3Address } from '../../platform/blobs/index.ts';
import { bytesBody } from '../../platform/blobs/s3/body.ts';
import { S3Client, type S3Object } from '../../platform/blobs/s3/client.ts';
import { problemOf } from '../../platform/blobs/s3/errors.ts';
import { readObject } from '../../platform/blobs/s3/read.ts';
import { writeFile } from '../../platform/blobs/s3/write.ts';
import { Scratch } from '../../platform/blobs/scratch.ts';
import { writeReceived } from '../../platform/blobs/write-file.ts';
import type { FileInfo } from './row-file.ts';
import { type BackupStore, inUse, type StoredFile } from './store.ts';

/** Prefix of the marks of processes that add or remove files. */
const marks = 'at-work/';
/** Interval in which a process renews its mark. */
const renewMs = 60_000;
/** A mark that was not renewed for so long is that of a process that ended. */
const silentMs = 10 * renewMs;

/** Backups as objects of an S3-compatible store. */
export class S3Store implements BackupStore {
  readonly name: string;
  readonly #client: S3Client;
  readonly #scratchFolder: string;

  /** `scratchFolder`: for files on their way into the store, whose size has to be known first. */
  constructor(address: S3Address, access: S3Access, scratchFolder: string) {
    this.#client = new S3Client(address, access);
    this.name = this.#client.addressOf('');
    this.#scratchFolder = scratchFolder;
  }

  async write(
    path: string,
    source: Readable,
    accepts: (info: FileInfo) => boolean = () => true,
  ): Promise<FileInfo | undefined> {
    const temporary = new Scratch(this.#scratchFolder).path('backup');
    try {
      const info = await writeReceived(temporary, source, {}, false);
      if (!accepts(info)) return undefined;
      const began = async () => undefined;
      await writeFile(this.#client, path, { path: temporary, size: info.size }, { began }).catch(rethrow);
      return info;
    } finally {
      source.destroy();
      await rm(temporary, { force: true });
    }
  }

  async read(path: string): Promise<Readable | undefined> {
    try {
      return await readObject(this.#client, path);
    } catch (error) {
      if (error instanceof Error && Reflect.get(error, 'status') === 404) return undefined;
      throw error;
    }
  }

  async *list(folder: string): AsyncGenerator<StoredFile> {
    for await (const { key, size } of this.#objects(folder)) yield { path: key, size };
  }

  async *#objects(prefix: string): AsyncGenerator<S3Object> {
    let after: string | undefined;
    do {
      const page: Awaited<ReturnType<S3Client['list']>> = await this.#client
        .list(prefix, after)
        .catch(rethrow);
      yield* page.objects;
      after = page.next;
    } while (after !== undefined);
  }

  async remove(path: string): Promise<void> {
    await this.#client.remove(path).catch(rethrow);
  }

  /**
   * Writes a mark, then looks for others: of two processes that begin together at least one sees the other. All times are those
   * of the store.
   */
  async alone<T>(work: (requireTurn: () => void) => Promise<T>): Promise<T> {
    const own = `${marks}${newId()}`;
    const body = bytesBody(JSON.stringify({ host: hostname(), process: process.pid }));
    let renewedAt = Date.now();
    const renew = async () => {
      await this.#client.put(own, body);
      renewedAt = Date.now();
    };
    await renew().catch(rethrow);
    // A failure shows in the time of the last success.
    const timer = setInterval(() => void renew().catch(() => undefined), renewMs);
    try {
      await this.#requireNoOther(own);
      return await work(() => {
        if (Date.now() - renewedAt < silentMs / 2) return;
        throw inUse(this.name, 'the store did not answer for long, so this one gave up its turn.');
      });
    } finally {
      clearInterval(timer);
      // A mark that stays stops counting by itself.
      await this.remove(own).catch(() => undefined);
    }
  }

  async #requireNoOther(own: string): Promise<void> {
    const found = await Array.fromAsync(this.#objects(marks));
    const now = found.find(({ key }) => key === own)?.modifiedAt ?? 0;
    for (const { key, modifiedAt } of found) {
      if (key === own) continue;
      if (modifiedAt > now - silentMs)
        throw inUse(this.name, 'wait for its end. One that was killed stops counting after ten minutes.');
      await this.remove(key);
    }
  }

  close(): void {
    this.#client.close();
  }
}

/** Hides addresses and signatures of a failed request. */
function rethrow(error: unknown): never {
  throw problemOf(error);
}
