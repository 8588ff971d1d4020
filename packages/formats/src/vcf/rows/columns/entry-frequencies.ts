import { type Frequencies, frequencyColumns } from './frequencies.ts';

/**
 * Frequencies of the entries of a group, by column; NaN is NULL. They hardly repeat, so that they are kept as numbers instead
 * of texts.
 */
export class EntryFrequencies {
  readonly #columns = frequencyColumns.map(() => new Float64Array(1024));

  set(entry: number, { values }: Frequencies): void {
    const columns = this.#columns;
    if (entry === columns[0]?.length) this.#grow();
    for (let index = 0; index < columns.length; index += 1)
      (columns[index] as Float64Array)[entry] = values[index] as number;
  }

  /** Returns the writer of the column of `variant` with this name; undefined for another column. */
  of(name: string): Float64Array | undefined {
    return this.#columns[frequencyColumns.indexOf(name)];
  }

  #grow(): void {
    for (const [index, column] of this.#columns.entries()) {
      const larger = new Float64Array(column.length * 2);
      larger.set(column);
      this.#columns[index] = larger;
    }
  }
}
