import { InputError } from '../input-error.ts';
import type { BamReference } from './header.ts';

/** Checks that records are sorted by coordinate: those without a sequence are last (SAM spec §1.3, SO:coordinate). */
export class CoordinateOrder {
  readonly #referenceCount: number;
  #referenceId = 0;
  #position = -1;

  constructor(referenceCount: number) {
    this.#referenceCount = referenceCount;
  }

  /** Checks the place of the next record; `number` counts from 1. Throws `InputError`. */
  check(referenceId: number, position: number, number: number): void {
    if (referenceId < -1 || referenceId >= this.#referenceCount || position < -1) {
      throw new InputError(`Record ${number} names an impossible sequence or position.`);
    }
    const isBehind =
      referenceId === this.#referenceId
        ? referenceId < 0 || position >= this.#position
        : referenceId < 0 || (this.#referenceId >= 0 && referenceId > this.#referenceId);
    if (!isBehind) {
      throw new InputError(
        `Record ${number} is before its predecessor: the file is not sorted by coordinate. Sort it (samtools sort), then ingest it.`,
      );
    }
    this.#referenceId = referenceId;
    this.#position = position;
  }
}

/** Counts the reads that reach beyond the end of their sequence, which shows a header of another reference. */
export class SequenceEnds {
  readonly #lengths: Float64Array;
  beyondCount = 0;

  constructor(references: readonly BamReference[]) {
    // A length of 0 is unknown.
    this.#lengths = Float64Array.from(references, ({ length }) => length || Number.POSITIVE_INFINITY);
  }

  /** Adds the end of the next mapped read. */
  check(referenceId: number, end: number): void {
    if (referenceId >= 0 && end > (this.#lengths[referenceId] as number)) this.beyondCount += 1;
  }
}

/** Refuses equal names: regions would be ambiguous, and samtools opens no such file (SAM spec §1.3). */
export function requireDistinctNames(references: readonly BamReference[]): void {
  const names = new Set(references.map(({ name }) => name));
  if (names.size < references.length) throw new InputError('Two sequences of the header have the same name.');
}
