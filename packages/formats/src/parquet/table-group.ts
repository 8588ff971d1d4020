import { type ByteWriter, compareTexts, decimal, grown } from '../bytes.ts';
import { type ColumnPages, textPages } from './column-pages.ts';
import { Dictionary } from './dictionary.ts';
import type { ParquetColumn } from './parquet-file.ts';

/** Value of a column in a row; `undefined` is NULL. */
export type Cell = string | number | boolean | undefined;
/** A row by the names of its columns; one that is absent is NULL. */
export type Row = Record<string, Cell>;
/** The values by which rows are sorted. */
export type GroupKey = readonly (Uint8Array | number | undefined)[];

/** A row group in the order of its keys. */
export interface SortedTableGroup {
  /** Columns in the order of the table, each valid until the next is requested. */
  columns: Iterable<ColumnPages>;
  first: GroupKey;
  last: GroupKey;
}

/** Compares two keys: texts by their bytes, NULL last, as the engine sorts. */
export function compareGroupKeys(left: GroupKey, right: GroupKey): number {
  for (const [place, value] of left.entries()) {
    const difference = compareValues(value, right[place]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareValues(left: GroupKey[number], right: GroupKey[number]): number {
  if (left === undefined || right === undefined)
    return Number(left === undefined) - Number(right === undefined);
  if (typeof left === 'number') return left - Number(right);
  return compareTexts(left, right as Uint8Array);
}

/** Rows of any table until they form a row group. Every text is kept once. */
export class TableGroup {
  rowCount = 0;
  /** Bytes of the texts of all rows. */
  size = 0;
  readonly #columns: CellColumn[];
  readonly #keys: CellColumn[];

  /** `orderBy`: names of columns. */
  constructor(columns: readonly ParquetColumn[], orderBy: readonly string[]) {
    this.#columns = columns.map((column) => new CellColumn(column));
    this.#keys = orderBy.map((name) => {
      const found = this.#columns.find(({ column }) => column.name === name);
      if (!found) throw new Error(`The table has no column ${name}`);
      return found;
    });
  }

  add(row: Row): void {
    for (const column of this.#columns) this.size += column.set(this.rowCount, row[column.column.name]);
    this.rowCount += 1;
  }

  /** Returns the content, at least one row; valid until `clear`. */
  sorted(): SortedTableGroup {
    const { rowCount } = this;
    const ranks = this.#keys.map((column) => column.ranks(rowCount));
    const compare = (left: number, right: number): number => {
      for (const values of ranks) {
        const [one, other] = [values[left] as number, values[right] as number];
        if (one !== other) return one < other ? -1 : 1;
      }
      return left - right;
    };
    const order = Array.from({ length: rowCount }, (_, row) => row).sort(compare);
    const keyOf = (row: number): GroupKey => this.#keys.map((column) => column.keyAt(row));
    return {
      columns: this.#columns.values().map((column) => column.pages(order)),
      first: keyOf(order[0] ?? 0),
      last: keyOf(order[rowCount - 1] ?? 0),
    };
  }

  clear(): void {
    this.rowCount = 0;
    this.size = 0;
    for (const column of this.#columns) column.clear();
  }
}

/** One column of the rows of a group, as indexes of its texts; -1 is NULL. */
class CellColumn {
  readonly column: ParquetColumn;
  readonly #texts = new Dictionary();
  #places: Int32Array = new Int32Array(1024);
  /** Value of the previous row: values often repeat at once. */
  #last: Cell;
  #lastPlace = -1;

  constructor(column: ParquetColumn) {
    this.column = column;
  }

  /** Returns the bytes that the value needed. */
  set(row: number, cell: Cell): number {
    if (row === this.#places.length) this.#places = grown(this.#places);
    if (cell === this.#last) {
      this.#places[row] = this.#lastPlace;
      return 0;
    }
    if (cell !== undefined) writeCell(cell, this.#texts.begin());
    this.#last = cell;
    this.#lastPlace = cell === undefined ? -1 : this.#texts.end();
    this.#places[row] = this.#lastPlace;
    return cell === undefined ? 0 : this.#texts.lastSize;
  }

  /** Returns a number for each row that sorts as its value; NULL is the greatest. */
  ranks(rowCount: number): Float64Array {
    const texts = this.#texts;
    const places = Array.from({ length: texts.count }, (_, place) => place);
    const ofPlace = new Float64Array(texts.count);
    if (this.column.type === 'string') {
      places.sort((left, right) => compareTexts(texts.at(left), texts.at(right)));
      let rank = 0;
      for (const [at, place] of places.entries()) {
        const before = places[at - 1];
        if (before !== undefined && compareTexts(texts.at(before), texts.at(place)) !== 0) rank += 1;
        ofPlace[place] = rank;
      }
    } else for (const place of places) ofPlace[place] = this.#number(place);
    return Float64Array.from({ length: rowCount }, (_, row) => {
      const place = this.#places[row] as number;
      return place < 0 ? Number.POSITIVE_INFINITY : (ofPlace[place] as number);
    });
  }

  keyAt(row: number): GroupKey[number] {
    const place = this.#places[row] as number;
    if (place < 0) return undefined;
    return this.column.type === 'string' ? this.#texts.at(place).slice() : this.#number(place);
  }

  pages(order: readonly number[]): ColumnPages {
    const places = Int32Array.from(order, (row) => this.#places[row] as number);
    return textPages(this.column.type, this.#texts, places, order.length);
  }

  clear(): void {
    this.#texts.clear();
    this.#last = undefined;
    this.#lastPlace = -1;
  }

  #number(place: number): number {
    const bytes = this.#texts.at(place);
    return decimal(bytes, 0, bytes.length);
  }
}

function writeCell(cell: string | number | boolean, target: ByteWriter): void {
  target.text(typeof cell === 'string' ? cell : String(cell));
}
