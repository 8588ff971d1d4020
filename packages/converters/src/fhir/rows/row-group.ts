import { type ColumnPages, Dictionary, type EncodedGroup, encodeGroup, textPages } from '@ploidy/formats';
import { compressPage } from '../../tables/compress-page.ts';
import type { FileTable } from '../file-tables.ts';
import { CellReader } from './cells.ts';
import type { RefusedVersions } from './refused-versions.ts';
import type { KeyedRow } from './row-file.ts';

/** Row group of a table, from rows in order. */
export class RowGroup {
  readonly table: FileTable;
  rowCount = 0;
  readonly #columns: GroupColumn[];
  /** Columns in the order of cells, the document last. */
  readonly #cellColumns: GroupColumn[];
  readonly #cells = new CellReader();

  constructor(table: FileTable) {
    this.table = table;
    this.#columns = table.columns.map(({ type }) => new GroupColumn(type));
    const document = table.dataPlace < 0 ? [] : this.#columns.slice(table.dataPlace, table.dataPlace + 1);
    this.#cellColumns = [...this.#columns.filter((column) => !document.includes(column)), ...document];
  }

  /** Adds a row whose cells start at a place; cells after those of the table are not read. */
  add(buffer: Uint8Array, start: number): void {
    this.#cells.from(buffer, start);
    for (const column of this.#cellColumns) column.add(this.rowCount, buffer, this.#cells);
    this.rowCount += 1;
  }

  /** Adds a coding with the resources that have it (`SliceRows`): a row for each one that is not refused. */
  addCoding({ buffer, start, count, slice }: KeyedRow, refused: RefusedVersions): void {
    const view = new DataView(buffer.buffer, buffer.byteOffset);
    const cells = this.#cells;
    const holder = this.#columns.slice(0, 3);
    const coding = this.#columns.slice(3);
    cells.from(buffer, start);
    const places = coding.map((column) => column.place(buffer, cells));
    for (let row = 0; row < count; row += 1) {
      const isRefused = refused.has(slice, view.getUint32(cells.at, true));
      cells.at += 4;
      if (isRefused) for (const _column of holder) cells.next();
      else {
        for (const column of holder) column.add(this.rowCount, buffer, cells);
        // Entries of the list would be a new object for each.
        for (let index = 0; index < coding.length; index += 1)
          coding[index]?.set(this.rowCount, places[index] as number);
        this.rowCount += 1;
      }
    }
  }

  encode(): EncodedGroup {
    const pages = this.#columns.values().map((column) => column.pages(this.rowCount));
    return encodeGroup(pages, compressPage);
  }

  clear(): void {
    this.rowCount = 0;
    for (const column of this.#columns) column.clear();
  }

  /** Frees its memory: that of documents is large. The group is not used again. */
  release(): void {
    for (const column of this.#columns) column.release();
  }
}

/** Column of the group as indexes of its distinct texts; -1 is NULL. */
class GroupColumn {
  readonly #type: Parameters<typeof textPages>[0];
  readonly #texts = new Dictionary();
  #places = new Int32Array(1024);

  constructor(type: Parameters<typeof textPages>[0]) {
    this.#type = type;
  }

  add(row: number, buffer: Uint8Array, cells: CellReader): void {
    this.set(row, this.place(buffer, cells));
  }

  /** Returns the index of the next cell's text. */
  place(buffer: Uint8Array, cells: CellReader): number {
    cells.next();
    if (cells.isNull) return -1;
    return this.#texts.take(buffer, cells.start, cells.end);
  }

  set(row: number, place: number): void {
    if (row === this.#places.length) {
      const larger = new Int32Array(row * 2);
      larger.set(this.#places);
      this.#places = larger;
    }
    this.#places[row] = place;
  }

  pages(rowCount: number): ColumnPages {
    return textPages(this.#type, this.#texts, this.#places, rowCount);
  }

  clear(): void {
    this.#texts.clear();
  }

  release(): void {
    this.#texts.release();
  }
}
