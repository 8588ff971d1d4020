import type { InfoValues } from '../info-values.ts';

const [comma, underscore] = [44, 95];

/**
 * Slot of INFO with one value for each allele: of the alternates (Number=A), or of the reference before them (R). `.`: of the
 * alternates if there is one for each, else of an alternate that is not named.
 */
export interface AlleleSlot {
  slot: number;
  number: 'A' | 'R' | '.';
}

/**
 * Narrows such values to one alternate after the other, so that each has only its own. A list whose length violates its Number
 * (VCF 4.3 §1.4.2) is left out where there are several alternates: the alleles of its values are unknown.
 */
export class AlleleValues {
  readonly #slots: readonly AlleleSlot[];
  readonly #values: InfoValues;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  /** Set if a value of the alternate was left out. */
  isUnclear = false;
  /** Positions of the commas of each value, once searched. */
  readonly #commas: (readonly number[] | undefined)[] = [];

  constructor(slots: readonly AlleleSlot[], values: InfoValues) {
    this.#slots = slots;
    this.#values = values;
    this.#starts = new Int32Array(slots.length);
    this.#ends = new Int32Array(slots.length);
  }

  /** Starts with the values of the record that was read. */
  read(): void {
    this.#commas.length = 0;
    for (let index = 0; index < this.#slots.length; index += 1) {
      const { slot } = this.#slots[index] as AlleleSlot;
      this.#starts[index] = this.#values.starts[slot] as number;
      this.#ends[index] = this.#values.ends[slot] as number;
    }
  }

  /** Narrows the values to this alternate, from 1. */
  narrow(bytes: Uint8Array, alternate: number, alternateCount: number): void {
    const { starts, ends } = this.#values;
    this.isUnclear = false;
    for (let index = 0; index < this.#slots.length; index += 1) {
      const { slot, number } = this.#slots[index] as AlleleSlot;
      if (number !== 'R' && alternateCount === 1) continue;
      const start = this.#starts[index] as number;
      const end = this.#ends[index] as number;
      const commas = this.#commas[index] ?? (start < 0 ? [] : commasIn(bytes, start, end));
      this.#commas[index] = commas;
      const before = number === 'R' ? alternate : alternate - 1;
      const isComplete =
        commas.length + 1 === alternateCount + (number === 'R' ? 1 : 0) &&
        // ClinVar writes `criteria_provided,_single_submitter`: no list.
        (number !== '.' || commas.every((at) => bytes[at + 1] !== underscore));
      starts[slot] = isComplete && before > 0 ? (commas[before - 1] as number) + 1 : start;
      ends[slot] = isComplete ? (commas[before] ?? end) : end;
      if (isComplete || alternateCount === 1 || !this.#values.has(slot, bytes)) continue;
      starts[slot] = -1;
      this.isUnclear = true;
    }
  }
}

function commasIn(bytes: Uint8Array, start: number, end: number): number[] {
  const commas: number[] = [];
  for (let at = start; at < end; at += 1) if (bytes[at] === comma) commas.push(at);
  return commas;
}
