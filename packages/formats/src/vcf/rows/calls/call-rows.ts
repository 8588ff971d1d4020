import { grown } from '../../../bytes.ts';
import { Dictionary } from '../../../parquet/index.ts';
import { type CallNumbers, callNumbers } from './call-numbers.ts';

/** Calls of the rows of a group, by column. */
export class CallRows {
  readonly phaseSets = new Dictionary();
  /** FILTER with the filters of each sample; empty where the file has none of these. */
  readonly filters = new Dictionary();
  filterPlaces: Int32Array = new Int32Array(1024);
  phasePlaces: Int32Array = new Int32Array(1024);
  readonly #numbers = callNumbers.map((): Float64Array => new Float64Array(1024));

  set(row: number, calls: CallNumbers): void {
    this.#makeRoom(row);
    const columns = this.#numbers;
    for (let index = 0; index < columns.length; index += 1)
      (columns[index] as Float64Array)[row] = calls.values[index] as number;
    this.phasePlaces[row] = calls.takePhaseSet(this.phaseSets);
  }

  /** Copies a row: the calls of an alternate are the same for each of its genes. */
  repeat(row: number, from: number): void {
    this.#makeRoom(row);
    for (const numbers of this.#numbers) numbers[row] = numbers[from] as number;
    this.phasePlaces[row] = this.phasePlaces[from] as number;
    this.filterPlaces[row] = this.filterPlaces[from] as number;
  }

  /** Returns the numbers of the column with this name; undefined for another column. */
  numbersOf(name: string): Float64Array | undefined {
    return this.#numbers[callNumbers.indexOf(name as (typeof callNumbers)[number])];
  }

  #makeRoom(row: number): void {
    if (row < this.phasePlaces.length) return;
    this.phasePlaces = grown(this.phasePlaces);
    this.filterPlaces = grown(this.filterPlaces);
    for (const [index, numbers] of this.#numbers.entries()) {
      const larger = new Float64Array(numbers.length * 2);
      larger.set(numbers);
      this.#numbers[index] = larger;
    }
  }
}
