import type { Blobs } from '../../../platform/blobs/index.ts';

/** Bytes of files that are kept. */
const keptMaxBytes = 2 * 2 ** 30;
/** Time that a file is kept without being read. */
const keptMs = 15 * 60_000;

interface Entry {
  path: string;
  /** Bytes; nothing while it is being made. */
  made: Promise<number>;
  size: number;
  readers: number;
  readAt: number;
  /** True: it goes with its last reader. */
  isDropped: boolean;
}

/** File that is needed: its key, and the work that writes it and returns its bytes. */
interface Needed {
  key: string;
  make: (path: string) => Promise<number>;
}

/** Files that are made once, read by several requests, and removed when they were not read for a while. */
export class MadeFiles {
  readonly #blobs: Pick<Blobs, 'scratchPath' | 'discardScratch'>;
  /** Entries in the order of the last use. */
  readonly #entries = new Map<string, Entry>();

  constructor(blobs: Pick<Blobs, 'scratchPath' | 'discardScratch'>) {
    this.#blobs = blobs;
  }

  /** Lends the paths of files, in order, until `work` ends. Files that are missing are made side by side. */
  async lend<T>(needed: readonly Needed[], work: (paths: string[]) => Promise<T>): Promise<T> {
    const entries: Entry[] = [];
    try {
      for (const one of needed) entries.push(await this.#take(one));
      await Promise.all(entries.map(({ made }) => made));
      return await work(entries.map(({ path }) => path));
    } finally {
      await this.#giveBack(entries);
    }
  }

  /** Removes the files of some keys: at once, or with their last reader. */
  async drop(isOf: (key: string) => boolean): Promise<void> {
    for (const [key, entry] of this.#entries) {
      if (!isOf(key)) continue;
      this.#entries.delete(key);
      entry.isDropped = true;
      if (entry.readers === 0) await this.#blobs.discardScratch(entry.path);
    }
  }

  async #take({ key, make }: Needed): Promise<Entry> {
    const path = this.#entries.has(key) ? '' : await this.#blobs.scratchPath('parquet');
    // Another request may have begun to make it meanwhile.
    const known = this.#entries.get(key);
    const entry = known ?? { path, made: make(path), size: 0, readers: 0, readAt: 0, isDropped: false };
    entry.readers += 1;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (known) return entry;
    entry.made.then(
      (size) => {
        entry.size = size;
      },
      // Those who wait for it get the error; the next one tries again.
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return entry;
  }

  async #giveBack(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) {
      entry.readers -= 1;
      entry.readAt = Date.now();
      if (entry.isDropped && entry.readers === 0) await this.#blobs.discardScratch(entry.path);
    }
    setTimeout(() => void this.#remove(), keptMs + 1000).unref();
    await this.#remove();
  }

  /** Removes files that are not read: those of long ago, and the oldest ones beyond the limit. */
  async #remove(): Promise<void> {
    let bytes = [...this.#entries.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [key, entry] of this.#entries) {
      const isOld = entry.readAt + keptMs < Date.now();
      if (entry.readers > 0 || !(isOld || bytes > keptMaxBytes)) continue;
      this.#entries.delete(key);
      bytes -= entry.size;
      await this.#blobs.discardScratch(entry.path);
    }
  }
}
