import { closeSync, openSync, readSync, unlinkSync } from 'node:fs';
import type { WriteQueue } from './write-queue.ts';

/** Stands on one row after the other of a sorted source. `advance` says whether there is a next row. */
export interface Cursor {
  key: string;
  ordinal: number;
  /** The row is `buffer[start, end)` until the next `advance`. */
  buffer: Buffer;
  start: number;
  end: number;
  advance(): boolean;
  close(): void;
}

/** In a run file each row follows its own header: bytes of the key, ordinal, bytes of the row. */
const headerBytes = 12;
const readBytes = 128 * 1024;

/** A run file that is being written. */
export class RunFile {
  readonly #output: Output;
  readonly #header = Buffer.alloc(headerBytes);

  constructor(path: string, queue: WriteQueue) {
    this.#output = new Output(path, queue);
  }

  add(cursor: Cursor): void {
    const key = Buffer.from(cursor.key, 'latin1');
    this.#header.writeUInt32LE(key.length, 0);
    this.#header.writeUInt32LE(cursor.ordinal, 4);
    this.#header.writeUInt32LE(cursor.end - cursor.start, 8);
    this.#output.write(this.#header, 0, headerBytes);
    this.#output.write(key, 0, key.length);
    this.#output.write(cursor.buffer, cursor.start, cursor.end);
  }

  close(): void {
    this.#output.close();
  }
}

/** Opens a run file for one reading, at the end of which it is deleted. */
export function openRun(path: string): Cursor {
  const file = openSync(path, 'r');
  let at = 0;
  let filled = 0;
  /** Makes the next `bytes` bytes lie in the buffer; false at the end of the file. */
  const fill = (bytes: number): boolean => {
    if (filled - at >= bytes) return true;
    const size = Math.max(cursor.buffer.length, bytes);
    const target = size > cursor.buffer.length ? Buffer.allocUnsafeSlow(size) : cursor.buffer;
    cursor.buffer.copy(target, 0, at, filled);
    cursor.buffer = target;
    filled -= at;
    at = 0;
    while (filled < bytes) {
      const read = readSync(file, target, filled, target.length - filled, null);
      if (read === 0) return false;
      filled += read;
    }
    return true;
  };
  const cursor: Cursor = {
    key: '',
    ordinal: 0,
    buffer: Buffer.allocUnsafeSlow(readBytes),
    start: 0,
    end: 0,
    advance: () => {
      if (!fill(headerBytes)) return false;
      const keyBytes = cursor.buffer.readUInt32LE(at);
      cursor.ordinal = cursor.buffer.readUInt32LE(at + 4);
      const rowBytes = cursor.buffer.readUInt32LE(at + 8);
      at += headerBytes;
      fill(keyBytes + rowBytes);
      cursor.key = cursor.buffer.toString('latin1', at, at + keyBytes);
      cursor.start = at + keyBytes;
      cursor.end = cursor.start + rowBytes;
      at = cursor.end;
      return true;
    },
    close: () => {
      closeSync(file);
      unlinkSync(path);
    },
  };
  return cursor;
}

/** The rows of sorted cursors in one order; of equal keys the row of the earlier cursor comes first. */
export function* mergeCursors(cursors: Cursor[]): Generator<Cursor> {
  const heap: number[] = [];
  const before = (left: number, right: number): boolean => {
    const [a, b] = [cursors[left]?.key ?? '', cursors[right]?.key ?? ''];
    return a === b ? left < right : a < b;
  };
  /** Puts `cursor` into the hole at `hole`, moving smaller ones up. */
  const sink = (cursor: number, from: number): void => {
    let hole = from;
    for (;;) {
      let child = hole * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1] ?? 0, heap[child] ?? 0)) child += 1;
      if (!before(heap[child] ?? 0, cursor)) break;
      heap[hole] = heap[child] ?? 0;
      hole = child;
    }
    heap[hole] = cursor;
  };
  try {
    for (const [index, cursor] of cursors.entries()) if (cursor.advance()) heap.push(index);
    for (let at = (heap.length >> 1) - 1; at >= 0; at -= 1) sink(heap[at] ?? 0, at);
    while (heap.length > 0) {
      const top = heap[0] ?? 0;
      const cursor = cursors[top];
      if (!cursor) return;
      yield cursor;
      if (cursor.advance()) sink(top, 0);
      else {
        const last = heap.pop();
        if (heap.length > 0 && last !== undefined) sink(last, 0);
      }
    }
  } finally {
    for (const cursor of cursors) cursor.close();
  }
}

/** A file of bytes, written in large pieces. */
class Output {
  readonly #file: number;
  readonly #queue: WriteQueue;
  #buffer: Buffer;
  #used = 0;

  constructor(path: string, queue: WriteQueue) {
    this.#file = openSync(path, 'wx', 0o600);
    this.#queue = queue;
    this.#buffer = queue.take();
  }

  write(source: Buffer, start: number, end: number): void {
    for (let at = start; at < end; ) {
      const copied = source.copy(this.#buffer, this.#used, at, end);
      at += copied;
      this.#used += copied;
      if (this.#used < this.#buffer.length) continue;
      this.#queue.write(this.#file, this.#buffer, this.#used);
      this.#buffer = this.#queue.take();
      this.#used = 0;
    }
  }

  close(): void {
    this.#queue.write(this.#file, this.#buffer, this.#used);
    this.#queue.close(this.#file);
  }
}

const lineFeed = Buffer.from('\n');

/** A text file with one row a line. Complete once the queue has settled after `close`. */
export class RowFile {
  readonly #output: Output;
  rows = 0;
  bytes = 0;
  longestRowBytes = 0;

  constructor(path: string, queue: WriteQueue) {
    this.#output = new Output(path, queue);
  }

  add(source: Buffer, start: number, end: number): void {
    this.#output.write(source, start, end);
    this.#output.write(lineFeed, 0, 1);
    this.rows += 1;
    this.bytes += end - start + 1;
    this.longestRowBytes = Math.max(this.longestRowBytes, end - start + 1);
  }

  close(): void {
    this.#output.close();
  }
}
