import { createReadStream, rmSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '@ploidy/engine';
import { hasCode } from '../../../base/error-code.ts';
import { inParallel } from '../../concurrency/in-parallel.ts';
import { unlessAborted } from '../../concurrency/unless-aborted.ts';
import type { BlobInfo, LocalOptions } from '../blobs.ts';
import { isKey, newKey } from '../keys.ts';
import { received } from '../receive.ts';

/** Writes the bytes of a blob into a new file. */
type Fetch = (key: string, path: string) => Promise<void>;

/** A copy, or the space reserved for one. */
interface Entry {
  size: number;
  /** Count of uses: works, and the fetch that makes it. */
  holds: number;
  /** Set once this process has found it whole. */
  checked: boolean;
  making: Promise<void> | undefined;
  /** Removed as soon as nothing uses it. */
  doomed: boolean;
}

const fetchesAtOnce = 4;

/**
 * Size-bounded LRU cache of blobs, in a folder that no other process uses. A copy appears under its name when it is complete,
 * and stays while work needs it. It is compared with its SHA-256 before this process first uses it. Copies of an earlier
 * process are used again.
 */
export class BlobCache {
  readonly #folder: string;
  readonly #bytesMax: number;
  readonly #fetch: Fetch;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  /** Works that wait for space, first come first served. */
  readonly #queue: object[] = [];
  #change = Promise.withResolvers<void>();

  private constructor(folder: string, bytesMax: number, fetch: Fetch) {
    this.#folder = folder;
    this.#bytesMax = bytesMax;
    this.#fetch = fetch;
  }

  static async open(folder: string, bytesMax: number, fetch: Fetch): Promise<BlobCache> {
    const cache = new BlobCache(folder, bytesMax, fetch);
    await cache.#findCopies();
    return cache;
  }

  /** Runs `work` with a copy of each blob. Rejects with `EngineError` DISK when they are more than the cache may hold. */
  async use<T>(
    blobs: BlobInfo[],
    work: (paths: string[]) => Promise<T>,
    { signal, once = false }: LocalOptions = {},
  ): Promise<T> {
    const needed = [...new Map(blobs.map((blob) => [blob.key, blob])).values()];
    await this.#hold(needed, signal);
    try {
      const copied = inParallel(needed, fetchesAtOnce, (blob) => {
        signal?.throwIfAborted();
        return this.#ensure(blob);
      });
      await unlessAborted(copied, signal);
      return await work(blobs.map(({ key }) => this.#path(key)));
    } finally {
      for (const { key } of needed) this.#release(key, once);
    }
  }

  /** Removes a copy, if there is one, as soon as nothing uses it. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.doomed = true;
    if (entry.holds === 0) this.#remove(key);
  }

  /** Reports whether there is a copy, or one is made. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Lists the keys of the copies. */
  keys(): string[] {
    return [...this.#entries.keys()];
  }

  async #findCopies(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const found: { key: string; size: number; usedAt: number }[] = [];
    for (const name of await readdir(this.#folder)) {
      const path = this.#path(name);
      if (name.endsWith('.part')) await rm(path, { force: true });
      if (!isKey(name)) continue;
      const { size, mtimeMs } = await stat(path);
      found.push({ key: name, size, usedAt: mtimeMs });
    }
    for (const { key, size } of found.sort((a, b) => a.usedAt - b.usedAt)) {
      this.#entries.set(key, { size, holds: 0, checked: false, making: undefined, doomed: false });
    }
    this.#makePlace();
  }

  /** Reserves all copies or waits: two works that each hold some and wait for more would deadlock. */
  async #hold(blobs: BlobInfo[], signal: AbortSignal | undefined): Promise<void> {
    const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
    if (bytes > this.#bytesMax) {
      const most = `the ${this.#bytesMax} that this service keeps for copies (PLOIDY_CACHE_MAX)`;
      throw new EngineError('DISK', `The data that has to be read is ${bytes} bytes, more than ${most}.`);
    }
    const turn = {};
    this.#queue.push(turn);
    try {
      signal?.throwIfAborted();
      while (this.#queue[0] !== turn || !this.#tryToHold(blobs)) {
        await unlessAborted(this.#change.promise, signal);
      }
    } finally {
      this.#queue.splice(this.#queue.indexOf(turn), 1);
      this.#notifyChange();
    }
  }

  #tryToHold(blobs: BlobInfo[]): boolean {
    const missing = blobs.filter(({ key }) => !this.#entries.has(key));
    const needed = new Set(blobs.map(({ key }) => key));
    const staying = [...this.#entries].filter(([key, { holds }]) => holds > 0 || needed.has(key));
    const sizes = [...staying.map(([, entry]) => entry), ...missing].map(({ size }) => size);
    if (sizes.reduce((sum, size) => sum + size, 0) > this.#bytesMax) return false;
    for (const { key, size } of blobs) {
      const entry = this.#entries.get(key);
      // Inserted anew: the most recently used.
      this.#entries.delete(key);
      const held = entry ?? { size, holds: 0, checked: false, making: undefined, doomed: false };
      held.holds += 1;
      this.#entries.set(key, held);
    }
    this.#makePlace();
    return true;
  }

  /** Evicts unused copies, least recently used first, until the rest is within the limit. */
  #makePlace(): void {
    let bytes = [...this.#entries.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [key, { size, holds }] of [...this.#entries]) {
      if (bytes <= this.#bytesMax) return;
      if (holds > 0) continue;
      this.#remove(key);
      bytes -= size;
    }
  }

  /** Makes sure that the copy is there and whole; concurrent callers share one fetch. */
  async #ensure(blob: BlobInfo): Promise<void> {
    const entry = this.#entries.get(blob.key);
    if (!entry) throw new Error('A copy was used without being held.');
    const isThere = entry.checked && (await sizeOf(this.#path(blob.key))) === blob.size;
    if (!isThere) {
      entry.making ??= this.#make(blob, entry);
      await entry.making;
    }
    const now = new Date();
    await utimes(this.#path(blob.key), now, now);
  }

  async #make(blob: BlobInfo, entry: Entry): Promise<void> {
    // The fetch may outlast the work that began it.
    entry.holds += 1;
    try {
      const path = this.#path(blob.key);
      if (!entry.checked && (await isWhole(path, blob))) entry.checked = true;
      else await this.#fetchInto(path, blob, entry);
    } finally {
      entry.making = undefined;
      this.#release(blob.key, false);
    }
  }

  async #fetchInto(path: string, blob: BlobInfo, entry: Entry): Promise<void> {
    entry.checked = false;
    const part = this.#path(`${newKey()}.part`);
    try {
      await this.#fetch(blob.key, part);
      if (!(await isWhole(part, blob))) throw new Error('The storage gave other bytes than it was given.');
      await rename(part, path);
      entry.checked = true;
    } finally {
      await rm(part, { force: true });
    }
  }

  #release(key: string, once: boolean): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.holds -= 1;
    entry.doomed ||= once;
    // A copy that was never made needs no space.
    if (entry.holds === 0 && (entry.doomed || (!entry.checked && !entry.making))) this.#remove(key);
    this.#notifyChange();
  }

  /** Removes the file synchronously: later, it could be the next copy of the same name. */
  #remove(key: string): void {
    rmSync(this.#path(key), { force: true });
    this.#entries.delete(key);
  }

  #notifyChange(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function isWhole(path: string, blob: BlobInfo): Promise<boolean> {
  if ((await sizeOf(path)) !== blob.size) return false;
  const { sha256 } = await received(createReadStream(path, { highWaterMark: 1024 * 1024 }));
  return sha256 === blob.sha256;
}
