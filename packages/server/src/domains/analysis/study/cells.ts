import { createHmac } from 'node:crypto';

/** Count as the engine returns it: subjects; for small counts also patients, and a digest of their ids. */
export type Cell = number | { n: number; p: number; k: string } | null;

/**
 * Counts of subjects, and their form for callers to whom small counts are hidden.
 *
 * Such a count is hidden unless it is about `min` patients or more, and shown as a multiple of `min`. Rounding and
 * threshold depend on a keyed digest of the patients counted: an equal set is always shown alike, and two sets that
 * differ by one patient are rounded independently (the cell key method of the Australian Bureau of Statistics).
 */
export class Cells {
  readonly #min: number;
  readonly #key: Uint8Array;

  /** `min`: fewest patients of a count that is shown; 0: any. */
  constructor(min: number, key: Uint8Array) {
    this.#min = min;
    this.#key = key;
  }

  /** True if small counts are hidden. */
  get hides(): boolean {
    return this.#min > 0;
  }

  /** Returns the SQL of the number of rows, which are one per subject. `which`: condition on the rows. */
  rows(which?: string): string {
    return this.#cell('count(*)', which);
  }

  /** Returns the SQL of the number of distinct values of an expression. */
  distinct(value: string, which?: string): string {
    return this.#cell(`count(DISTINCT ${value})`, which);
  }

  /** Converts a cell to the number that the caller may see; null if it is hidden. */
  shown(cell: Cell): number | null {
    if (cell === null || typeof cell === 'number') return cell;
    const { n, p, k } = cell;
    const [threshold, offset] = this.#noise(`${n}/${p}/${k}`);
    if (p < this.#min + threshold) return null;
    return Math.floor((Math.max(n, this.#min) + offset) / this.#min) * this.#min;
  }

  /** Converts cells of disjoint sets of subjects to their total. One of them must be about enough patients. */
  total(parts: readonly Cell[]): number | null {
    const hidden = parts.filter((cell) => cell !== null && typeof cell === 'object');
    const plain = parts.filter((cell) => typeof cell === 'number');
    if (hidden.length === 0) return plain.reduce((sum, n) => sum + n, 0);
    return this.shown({
      n: hidden.reduce((sum, { n }) => sum + n, 0),
      // Patients may be in several of the sets.
      p: Math.max(...hidden.map(({ p }) => p)),
      k: hidden
        .map(({ k }) => k)
        .sort()
        .join(),
    });
  }

  #cell(count: string, which: string | undefined): string {
    const filter = which === undefined ? '' : ` FILTER (${which})`;
    if (this.#min === 0) return `${count}${filter}`;
    const patients = `count(DISTINCT patient_id)${filter}`;
    const digest = `CAST(coalesce(bit_xor(DISTINCT hash(patient_id))${filter}, 0) AS VARCHAR)`;
    return `{'n': ${count}${filter}, 'p': ${patients}, 'k': ${digest}}`;
  }

  /** Two numbers from 0 up to the minimum, exclusive. */
  #noise(set: string): [number, number] {
    const digest = createHmac('sha256', this.#key).update(set).digest();
    return [digest.readUInt32BE(0) % this.#min, digest.readUInt32BE(4) % this.#min];
  }
}
