import type { Reporter, Warning } from '../../../platform/engine/conversion.ts';

/** More are only counted, as whoever is told does. */
const heldMax = 200;

/** Keeps the warnings of a reading back until it is known that it is the last: an earlier one knows less of the source. */
export class HeldWarnings implements Reporter {
  readonly #report: Reporter;
  readonly #isFirst: boolean;
  readonly #held: Warning[] = [];
  #unsaid = 0;

  /** `isFirst`: progress is told; later readings would make it go back. */
  constructor(report: Reporter, isFirst: boolean) {
    this.#report = report;
    this.#isFirst = isFirst;
  }

  progress(bytes: number, rows: number): void {
    if (this.#isFirst) this.#report.progress(bytes, rows);
  }

  warn(warning: Warning, unsaid = 0): void {
    if (this.#held.length < heldMax) this.#held.push(warning);
    else this.#unsaid += 1;
    this.#unsaid += unsaid;
  }

  /** Tells them. */
  release(): void {
    for (const [index, warning] of this.#held.entries())
      this.#report.warn(warning, index + 1 === this.#held.length ? this.#unsaid : 0);
  }
}
