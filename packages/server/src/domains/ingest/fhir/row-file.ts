import { ByteWriter } from '@ploidy/formats';
import { WrittenFile } from '../tables/written-file.ts';

/** Before each row: bytes of the key, bytes of the row, slice and number of its resource, rows that it stands for. */
export const headerBytes = 20;
/** Of rows between two marks. */
const markBytes = 128 * 1024;
const writtenBytes = 1024 * 1024;
/** What a row costs in a row group besides its text. */
const rowWeight = 128;

/** A place from which a section can be read. */
export interface Mark {
  /** Of the row there; one character a byte. */
  key: string;
  offset: number;
  /** Of the rows of the section before it. */
  weight: number;
}

/** The rows of one table in a file, sorted by their keys. */
export interface Section {
  table: string;
  path: string;
  start: number;
  end: number;
  /** How much of a row group they fill: bytes, and something a row. */
  weight: number;
  marks: Mark[];
}

/** Where a text stands as bytes. */
export interface Stretch {
  bytes: Uint8Array;
  start: number;
  end: number;
}

/** A row, wherever it lies, with its key before it. */
export interface KeyedRow {
  buffer: Uint8Array;
  keyStart: number;
  /** Where the key ends and the row begins. */
  start: number;
  end: number;
  slice: number;
  /** Of its resource in the slice. */
  number: number;
  /** Rows that it stands for. */
  count: number;
  /** The text of its last cell, where that lies elsewhere. */
  tail?: Stretch | undefined;
}

/** A new file of sorted rows, table after table. */
export class RowFile {
  readonly #path: string;
  readonly #file: WrittenFile;
  readonly #buffer = new ByteWriter(writtenBytes);
  readonly #sections: Section[] = [];
  #section: Section | undefined;
  /** Of the buffer in the file. */
  #offset = 0;
  #marked = 0;

  constructor(path: string) {
    this.#path = path;
    this.#file = new WrittenFile(path);
  }

  /** The rows that follow are of this table. */
  begin(table: string): void {
    this.#endSection();
    const start = this.#offset + this.#buffer.length;
    this.#section = { table, path: this.#path, start, end: start, weight: 0, marks: [] };
  }

  add(row: KeyedRow): void {
    const section = this.#section;
    if (!section) throw new Error('The row is of no table');
    const { buffer, keyStart, start, end, count, tail } = row;
    const rowBytes = end - start + (tail ? tail.end - tail.start : 0);
    const target = this.#buffer;
    const offset = this.#offset + target.length;
    if (section.marks.length === 0 || offset - this.#marked >= markBytes) {
      const key = Buffer.from(buffer.subarray(keyStart, start)).toString('latin1');
      section.marks.push({ key, offset, weight: section.weight });
      this.#marked = offset;
    }
    target.uint32(start - keyStart);
    target.uint32(rowBytes);
    target.uint32(row.slice);
    target.uint32(row.number);
    target.uint32(count);
    target.slice(buffer, keyStart, end);
    if (tail) target.slice(tail.bytes, tail.start, tail.end);
    section.weight += rowBytes + count * rowWeight;
    if (target.length >= writtenBytes) this.#flush();
  }

  /** Ends the file; gives the tables that have rows. */
  end(): Section[] {
    this.#endSection();
    this.#flush();
    return this.#sections;
  }

  /** Lets go of the file, also of one that was given up. */
  close(): void {
    this.#file.close();
  }

  #endSection(): void {
    if (!this.#section) return;
    this.#section.end = this.#offset + this.#buffer.length;
    if (this.#section.marks.length > 0) this.#sections.push(this.#section);
  }

  #flush(): void {
    const { written } = this.#buffer;
    this.#file.write(written);
    this.#offset += written.length;
    this.#buffer.length = 0;
  }
}
