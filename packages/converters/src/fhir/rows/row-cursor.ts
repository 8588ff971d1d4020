import { closeSync, openSync, readSync } from 'node:fs';
import { compareBytes, compareWords, viewOf } from '@ploidy/formats';
import { headerBytes, type KeyedRow } from './row-file.ts';

const readBytes = 64 * 1024;

/** Sorted rows in a file. */
export interface RowSource {
  path: string;
  start: number;
  end: number;
}

/** Cursor over the rows of a source. Its fields are valid until the next `advance`. */
class RowCursor implements KeyedRow {
  buffer: Buffer;
  /** View of the same bytes. */
  view: DataView;
  keyStart = 0;
  start = 0;
  end = 0;
  slice = 0;
  number = 0;
  count = 0;
  readonly #file: number;
  /** File offset of the next read. */
  #offset: number;
  readonly #stop: number;
  #at = 0;
  #filled = 0;

  constructor({ path, start, end }: RowSource) {
    this.#file = openSync(path, 'r');
    this.#offset = start;
    this.#stop = end;
    this.buffer = Buffer.allocUnsafeSlow(Math.min(readBytes, end - start));
    this.view = viewOf(this.buffer);
  }

  /** Moves to the next row; returns false at the end. */
  advance(): boolean {
    if (!this.#fill(headerBytes)) return false;
    const { view } = this;
    const at = this.#at;
    const keyBytes = view.getUint32(at, true);
    const rowBytes = view.getUint32(at + 4, true);
    this.slice = view.getUint32(at + 8, true);
    this.number = view.getUint32(at + 12, true);
    this.count = view.getUint32(at + 16, true);
    if (!this.#fill(headerBytes + keyBytes + rowBytes)) throw new Error('A file of rows is cut off');
    this.keyStart = this.#at + headerBytes;
    this.start = this.keyStart + keyBytes;
    this.end = this.start + rowBytes;
    this.#at = this.end;
    return true;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Buffers the next `bytes` bytes; returns false at the end. */
  #fill(bytes: number): boolean {
    if (this.#filled - this.#at >= bytes) return true;
    const target = bytes > this.buffer.length ? Buffer.allocUnsafeSlow(bytes) : this.buffer;
    this.buffer.copy(target, 0, this.#at, this.#filled);
    if (target !== this.buffer) {
      this.buffer = target;
      this.view = viewOf(target);
    }
    this.#filled -= this.#at;
    this.#at = 0;
    while (this.#filled < bytes) {
      const wanted = Math.min(target.length - this.#filled, this.#stop - this.#offset);
      const read = wanted === 0 ? 0 : readSync(this.#file, target, this.#filled, wanted, this.#offset);
      if (read === 0) return false;
      this.#filled += read;
      this.#offset += read;
    }
    return true;
  }
}

/** Returns whether the key of the row is below another. */
export function isBefore({ view, keyStart, start }: RowCursor, key: DataView): boolean {
  return compareWords(view, keyStart, start, key, 0, key.byteLength) < 0;
}

/** Compares the keys of two rows. */
export function compareKeys(a: KeyedRow, b: KeyedRow): number {
  return compareBytes(a.buffer, a.keyStart, a.start, b.keyStart, b.start, b.buffer);
}

/** Merges sorted sources. Of equal keys, the row of the earlier source precedes. */
export function* mergeRows(sources: readonly RowSource[]): Generator<RowCursor> {
  const cursors: RowCursor[] = [];
  const heap: number[] = [];
  const before = (left: number, right: number): boolean => {
    const [one, other] = [cursors[left] as RowCursor, cursors[right] as RowCursor];
    const order = compareWords(one.view, one.keyStart, one.start, other.view, other.keyStart, other.start);
    return order === 0 ? left < right : order < 0;
  };
  /** Puts `cursor` into the hole at `hole`, moving smaller ones up. */
  const sink = (cursor: number, from: number): void => {
    let hole = from;
    for (;;) {
      let child = hole * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1] as number, heap[child] as number)) child += 1;
      if (!before(heap[child] as number, cursor)) break;
      heap[hole] = heap[child] as number;
      hole = child;
    }
    heap[hole] = cursor;
  };
  try {
    for (const source of sources) cursors.push(new RowCursor(source));
    for (const [index, cursor] of cursors.entries()) if (cursor.advance()) heap.push(index);
    for (let at = (heap.length >> 1) - 1; at >= 0; at -= 1) sink(heap[at] as number, at);
    while (heap.length > 0) {
      const top = heap[0] as number;
      const cursor = cursors[top] as RowCursor;
      yield cursor;
      if (cursor.advance()) sink(top, 0);
      else {
        const last = heap.pop() as number;
        if (heap.length > 0) sink(last, 0);
      }
    }
  } finally {
    for (const cursor of cursors) cursor.close();
  }
}
