import { createHmac } from 'node:crypto';

/** Count as the engine returns it: subjects; for small counts also patients, and a digest of their ids. */
export type Cell = number | { n: number; p: number; k: string } | null;

/**
 * Counts of subjects, and their form for callers to whom small counts are hidden. Such a count is about `min` patients or more,
 * or hidden; it is a multiple of `min` near the number. Rounding and threshold depend on a keyed digest of filter and patients.
 * Equal questions have equal answers. Two filters are rounded independently: a difference shows no single patient.
 */
export class Cells {
  readonly #min: number;
  readonly #key: Uint8Array;

  /** `min`: fewest patients of a count that is shown; 0: any. */
  constructor(min: number, key: Uint8Array) {
    this.#min = min;
    this.#key = key;
  }

  /** Returns the counts of one filter. */
  about(filter: string): Cells {
    return this.#min === 0
      ? this
      : new Cells(this.#min, createHmac('sha256', this.#key).update(filter).digest());
  }

  /** True if small counts are hidden. */
  get hides(): boolean {
    return this.#min > 0;
  }

  /** Returns the SQL of the number of rows, which are one per subject and have `patient` and `digest`. `which`: condition on them. */
  rows(which?: string): string {
    return this.#cell('count(*)', which);
  }

  /** Returns the SQL of the number of distinct values of an expression. */
  distinct(value: string, which?: string): string {
    return this.#cell(`count(DISTINCT ${value})`, which);
  }

  /**
   * Returns the SQL of the number of rows by which groups are ranked and limits are tested. Where small counts are hidden, a number
   * near it: an exact one would show by a rank whether a single patient is in a group.
   */
  near(which?: string): string {
    const filter = which === undefined ? '' : ` FILTER (${which})`;
    if (!this.hides) return `count(*)${filter}`;
    const seed = createHmac('sha256', this.#key).update('rank').digest().readUIntBE(0, 6);
    const noise = `hash(coalesce(bit_xor(DISTINCT digest)${filter}, 0), ${seed}) % ${2 * this.#min - 1}`;
    return `((count(*)${filter} + CAST(${noise} AS INTEGER)) // ${this.#min} * ${this.#min})`;
  }

  /** Converts a cell to the number that the caller may see; null if it is hidden. */
  shown(cell: Cell): number | null {
    // A plain number is the zero of no row: where small counts are hidden, zero is hidden too.
    if (cell === null || typeof cell === 'number') return this.hides ? null : cell;
    const { n, p, k } = cell;
    const digest = createHmac('sha256', this.#key).update(`${n}/${p}/${k}`).digest();
    const threshold = this.#min + (digest.readUInt32BE(0) % this.#min);
    if (p < threshold) return null;
    const noise = (digest.readUInt32BE(4) % (2 * this.#min - 1)) - (this.#min - 1);
    return this.#min * Math.max(1, Math.round((n + noise) / this.#min));
  }

  /** Returns a cell of another number about the same patients. */
  counting(n: number, about: Cell): Cell {
    return about === null || typeof about === 'number' ? n : { ...about, n };
  }

  /** Converts cells of disjoint sets of subjects to their total. One of them must be about enough patients. */
  total(parts: readonly Cell[]): number | null {
    const hidden = parts.filter((cell) => cell !== null && typeof cell === 'object');
    const plain = parts.filter((cell) => typeof cell === 'number');
    if (hidden.length === 0) return this.shown(plain.reduce((sum, n) => sum + n, 0));
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
    const patients = `count(DISTINCT patient)${filter}`;
    const digest = `CAST(coalesce(bit_xor(DISTINCT digest)${filter}, 0) AS VARCHAR)`;
    return `{'n': ${count}${filter}, 'p': ${patients}, 'k': ${digest}}`;
  }
}
