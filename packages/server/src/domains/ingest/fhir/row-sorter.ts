import { join } from 'node:path';
import { type Cursor, mergeCursors, openRun, RowFile, RunFile } from './sorted-runs.ts';
import type { WriteQueue } from './write-queue.ts';

const arenaBytesFirst = 256 * 1024;
const arenaBytesMax = 4 * 1024 * 1024;
const rowsMax = 100_000;
const runsMax = 128;
/** Rows after which other work of the process gets its turn. */
const rowsAtOnce = 8192;

/** What lies in a sorted file. */
export interface SortedRows {
  rows: number;
  bytes: number;
  longestRowBytes: number;
}

/**
 * Sorts any number of rows of any length in little memory: rows gather in one buffer, are written as sorted runs when it
 * is full, and runs are merged. The engine's own sort was tried and needs more than its memory once documents pass some
 * 20 KB. Rows with equal keys keep the order in which they came.
 */
export class RowSorter {
  readonly #folder: string;
  readonly #name: string;
  readonly #queue: WriteQueue;
  #arena = Buffer.allocUnsafeSlow(arenaBytesFirst);
  #used = 0;
  #keys: string[] = [];
  #ordinals: number[] = [];
  #ends: number[] = [];
  /** Runs by how often their rows were merged before. */
  #levels: string[][] = [];
  #runCount = 0;
  #rowCount = 0;

  constructor(folder: string, name: string, queue: WriteQueue) {
    this.#folder = folder;
    this.#name = name;
    this.#queue = queue;
  }

  get rows(): number {
    return this.#rowCount;
  }

  /** Takes a row. `ordinal` says of which resource it is. Keys are ASCII. */
  add(key: string, ordinal: number, text: string): void {
    this.#reserve(text.length * 3);
    this.#used += this.#arena.write(text, this.#used, 'utf8');
    this.#keys.push(key);
    this.#ordinals.push(ordinal);
    this.#ends.push(this.#used);
    this.#rowCount += 1;
  }

  #reserve(bytes: number): void {
    const full = this.#used + bytes > arenaBytesMax || this.#keys.length >= rowsMax;
    if (full && this.#keys.length > 0) this.#spill();
    if (this.#used + bytes <= this.#arena.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#arena.length * 2, this.#used + bytes));
    this.#arena.copy(larger, 0, 0, this.#used);
    this.#arena = larger;
  }

  #spill(): void {
    const run = this.#startRun(0);
    for (const cursor of mergeCursors([this.#arenaCursor()])) run.add(cursor);
    run.close();
    this.#arena = this.#arena.length > arenaBytesMax ? Buffer.allocUnsafeSlow(arenaBytesMax) : this.#arena;
    this.#used = 0;
    this.#keys = [];
    this.#ordinals = [];
    this.#ends = [];
  }

  #startRun(level: number): RunFile {
    this.#runCount += 1;
    const path = join(this.#folder, `${this.#name}.${this.#runCount}.run`);
    this.#levels[level] ??= [];
    this.#levels[level].push(path);
    return new RunFile(path, this.#queue);
  }

  /** Merges runs that have become too many to be read at once. Between two calls there should be few rows. */
  async settle(): Promise<void> {
    for (let level = 0; level < this.#levels.length; level += 1) {
      const runs = this.#levels[level] ?? [];
      if (runs.length < runsMax) continue;
      await this.#queue.settled();
      this.#levels[level] = [];
      const merged = this.#startRun(level + 1);
      let rows = 0;
      for (const cursor of mergeCursors(runs.map(openRun))) {
        merged.add(cursor);
        rows += 1;
        if (rows % rowsAtOnce === 0) await this.#queue.room();
      }
      merged.close();
    }
  }

  #arenaCursor(): Cursor {
    const keys = this.#keys;
    const ends = this.#ends;
    const order = keys.map((_key, index) => index);
    order.sort((a, b) => {
      const [left = '', right = ''] = [keys[a], keys[b]];
      return left < right ? -1 : left > right ? 1 : a - b;
    });
    let next = 0;
    const cursor: Cursor = {
      key: '',
      ordinal: 0,
      buffer: this.#arena,
      start: 0,
      end: 0,
      advance: () => {
        const index = order[next];
        if (index === undefined) return false;
        next += 1;
        cursor.key = keys[index] ?? '';
        cursor.ordinal = this.#ordinals[index] ?? 0;
        cursor.start = ends[index - 1] ?? 0;
        cursor.end = ends[index] ?? 0;
        return true;
      },
      close: () => undefined,
    };
    return cursor;
  }

  /** Writes all rows but those of refused ordinals, sorted, one a line, and drops what it held. */
  async writeSorted(path: string, isRefused: (ordinal: number) => boolean): Promise<SortedRows> {
    await this.#queue.settled();
    // Earlier rows lie in higher levels; the buffer holds the latest.
    const runs = this.#levels.toReversed().flat().map(openRun);
    const file = new RowFile(path, this.#queue);
    let rows = 0;
    for (const cursor of mergeCursors([...runs, this.#arenaCursor()])) {
      if (!isRefused(cursor.ordinal)) file.add(cursor.buffer, cursor.start, cursor.end);
      rows += 1;
      if (rows % rowsAtOnce === 0) await this.#breathe();
    }
    file.close();
    await this.#queue.settled();
    this.#arena = Buffer.alloc(0);
    this.#keys = [];
    return { rows: file.rows, bytes: file.bytes, longestRowBytes: file.longestRowBytes };
  }

  /** Lets other work of the process happen, and waits while too much is to be written. */
  async #breathe(): Promise<void> {
    await this.#queue.room();
    await new Promise(setImmediate);
  }
}
