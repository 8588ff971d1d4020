import type { Reporter, Warning } from '@ploidy/engine';
import type { Account } from '@ploidy/formats';

/** Further warnings are counted only, as in the report. */
const heldMax = 200;

/** Holds the warnings of a reading until it proves to be the last one. */
export class HeldWarnings implements Reporter {
  readonly #report: Reporter;
  readonly #isFirst: boolean;
  readonly #held: Warning[] = [];
  #unsaid = 0;

  /** `isFirst`: reports progress; that of later readings would go backwards. */
  constructor(report: Reporter, isFirst: boolean) {
    this.#report = report;
    this.#isFirst = isFirst;
  }

  progress(bytes: number, rows: number): void {
    if (this.#isFirst) this.#report.progress(bytes, rows);
  }

  account(account: Account): void {
    this.#report.account(account);
  }

  warn(warning: Warning, unsaid = 0): void {
    if (this.#held.length < heldMax) this.#held.push(warning);
    else this.#unsaid += 1;
    this.#unsaid += unsaid;
  }

  /** Reports the held warnings. */
  release(): void {
    for (const [index, warning] of this.#held.entries())
      this.#report.warn(warning, index + 1 === this.#held.length ? this.#unsaid : 0);
  }
}
