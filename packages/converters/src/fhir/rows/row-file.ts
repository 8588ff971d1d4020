import { ByteWriter } from '@ploidy/formats';
import { WrittenFile } from '../../tables/written-file.ts';

/** Header of a row: bytes of key and row, slice and number of its resource, number of rows that it represents. */
export const headerBytes = 20;
/** Distance between two marks. */
const markBytes = 128 * 1024;
const writtenBytes = 1024 * 1024;
/** Cost of a row in a row group besides its text. */
const rowWeight = 128;

/** Place from which a section can be read. */
interface Mark {
  /** Key of the row at the offset; one character a byte. */
  key: string;
  offset: number;
  /** Weight of the preceding rows of the section. */
  weight: number;
}

/** The rows of one table in a file, sorted by their keys. */
export interface Section {
  table: string;
  path: string;
  start: number;
  end: number;
  /** Bytes of the rows plus `rowWeight` for each. */
  weight: number;
  marks: Mark[];
}

/** Row in a buffer, preceded by its key. */
export interface KeyedRow {
  buffer: Uint8Array;
  keyStart: number;
  /** End of the key, and start of the row. */
  start: number;
  end: number;
  slice: number;
  /** Number of its resource in the slice. */
  number: number;
  /** Number of rows that it represents. */
  count: number;
}

/** A new file of sorted rows, table after table. */
export class RowFile {
  readonly #path: string;
  readonly #file: WrittenFile;
  readonly #buffer = new ByteWriter(writtenBytes);
  readonly #sections: Section[] = [];
  #section: Section | undefined;
  /** File offset of the buffer. */
  #offset = 0;
  #marked = 0;

  constructor(path: string) {
    this.#path = path;
    this.#file = new WrittenFile(path);
  }

  /** Begins the section of a table. */
  begin(table: string): void {
    this.#endSection();
    const start = this.#offset + this.#buffer.length;
    this.#section = { table, path: this.#path, start, end: start, weight: 0, marks: [] };
  }

  add(row: KeyedRow): void {
    const section = this.#section;
    if (!section) throw new Error('The row is of no table');
    const { buffer, keyStart, start, end, count } = row;
    const rowBytes = end - start;
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
    section.weight += rowBytes + count * rowWeight;
    if (target.length >= writtenBytes) this.#flush();
  }

  /** Ends the file; returns the tables that have rows. */
  end(): Section[] {
    this.#endSection();
    this.#flush();
    return this.#sections;
  }

  /** Closes the file, also after a failure. */
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
