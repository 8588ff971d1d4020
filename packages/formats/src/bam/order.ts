import { InputError } from '../input-error.ts';
import type { BamReference } from './header.ts';

/** Checks that records are sorted by coordinate: those without a sequence come last (SAM spec §1.3, SO:coordinate). */
export class CoordinateOrder {
  readonly #referenceCount: number;
  #referenceId = 0;
  #position = -1;

  constructor(referenceCount: number) {
    this.#referenceCount = referenceCount;
  }

  /** Takes the place of the next record; `number` counts from 1. Throws `InputError`. */
  check(referenceId: number, position: number, number: number): void {
    if (referenceId < -1 || referenceId >= this.#referenceCount || position < -1) {
      throw new InputError(`Record ${number} names a sequence or position that cannot be.`);
    }
    const isBehind =
      referenceId === this.#referenceId
        ? referenceId < 0 || position >= this.#position
        : referenceId < 0 || (this.#referenceId >= 0 && referenceId > this.#referenceId);
    if (!isBehind) {
      throw new InputError(
        `Record ${number} lies before its predecessor: the file is not sorted by coordinate. Sort it (samtools sort), then ingest it.`,
      );
    }
    this.#referenceId = referenceId;
    this.#position = position;
  }
}

/** Refuses equal names: regions would be ambiguous, and samtools opens no such file (SAM spec §1.3). */
export function requireDistinctNames(references: readonly BamReference[]): void {
  const names = new Set(references.map(({ name }) => name));
  if (names.size < references.length) throw new InputError('Two sequences of the header have the same name.');
}
