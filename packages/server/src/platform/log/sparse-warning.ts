import type { PlatformLog } from '../records/log.ts';

const logEveryMs = 10_000;

/** Throttled warning: logged at once, then at most every ten seconds with the count of suppressed `times`. */
export class SparseWarning {
  readonly #log: PlatformLog;
  readonly #message: string;
  #suppressed = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(log: PlatformLog, message: string) {
    this.#log = log;
    this.#message = message;
  }

  /** `details`: of this one. */
  report(details: object): void {
    this.#suppressed++;
    const now = performance.now();
    if (now - this.#loggedAt < logEveryMs) return;
    this.#log.warn({ ...details, times: this.#suppressed }, this.#message);
    this.#loggedAt = now;
    this.#suppressed = 0;
  }
}
