/** Memory that the next column reuses, so that rows are valid until then. */
let rowsOfNumbers = new Int32Array(1 << 12);
let rowsOfFractions = new Float64Array(1 << 12);

/** The entries of a group by chromosome and position, and the rows of each. */
export class RowOrder {
  /** Entries in order; undefined when they are in order already. */
  readonly #entries: Int32Array | undefined;
  readonly #rowCounts: Int32Array;
  readonly #entryCount: number;
  readonly rowCount: number;
  /** Set if the rows are all entries, in order. */
  readonly #isPlain: boolean;

  constructor(
    entryCount: number,
    rowCounts: Int32Array,
    rowCount: number,
    compare: (left: number, right: number) => number,
  ) {
    this.#entryCount = entryCount;
    this.#rowCounts = rowCounts;
    this.rowCount = rowCount;
    this.#entries = isSorted(entryCount, compare)
      ? undefined
      : // An array: its sort is fast for nearly sorted values, that of typed arrays is not.
        Int32Array.from(Array.from({ length: entryCount }, (_, entry) => entry).sort(compare));
    this.#isPlain = this.#entries === undefined && rowCount === entryCount;
  }

  /** Returns the entry at a place. */
  entryAt(place: number): number {
    return this.#entries?.[place] ?? place;
  }

  /** Expands values of the entries to values of the rows, valid until the next call. */
  ofEntries<T extends Int32Array | Float64Array>(values: T): T {
    if (this.#isPlain) return values.subarray(0, this.rowCount) as T;
    const rows = this.#roomFor(values);
    let row = 0;
    for (let place = 0; place < this.#entryCount; place += 1) {
      const entry = this.entryAt(place);
      const value = values[entry] as number;
      for (let end = row + (this.#rowCounts[entry] as number); row < end; row += 1) rows[row] = value;
    }
    return rows;
  }

  #roomFor<T extends Int32Array | Float64Array>(values: T): T {
    const { rowCount } = this;
    if (values instanceof Int32Array) {
      if (rowsOfNumbers.length < rowCount) rowsOfNumbers = new Int32Array(rowCount);
      return rowsOfNumbers.subarray(0, rowCount) as T;
    }
    if (rowsOfFractions.length < rowCount) rowsOfFractions = new Float64Array(rowCount);
    return rowsOfFractions.subarray(0, rowCount) as T;
  }

  /** Orders values of the rows, valid until the next call. */
  ofRows<T extends Int32Array | Float64Array>(values: T): T {
    if (!this.#entries) return values.subarray(0, this.rowCount) as T;
    const firstRows = new Int32Array(this.#entryCount + 1);
    for (let entry = 0; entry < this.#entryCount; entry += 1)
      firstRows[entry + 1] = (firstRows[entry] as number) + (this.#rowCounts[entry] as number);
    const rows = this.#roomFor(values);
    let row = 0;
    for (const entry of this.#entries) {
      const own = values.subarray(firstRows[entry], firstRows[entry + 1]);
      rows.set(own, row);
      row += own.length;
    }
    return rows;
  }
}

function isSorted(count: number, compare: (left: number, right: number) => number): boolean {
  for (let entry = 1; entry < count; entry += 1) if (compare(entry - 1, entry) > 0) return false;
  return true;
}
