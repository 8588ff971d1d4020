import type { PlatformLog } from '../records/log.ts';

const toldEveryMs = 10_000;

/** Throttled warning: logged at once, then at most every ten seconds with the count of suppressed `times`. */
export class SparseWarning {
  readonly #log: PlatformLog;
  readonly #message: string;
  #untold = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(log: PlatformLog, message: string) {
    this.#log = log;
    this.#message = message;
  }

  /** `details`: of this one. */
  tell(details: object): void {
    this.#untold++;
    const now = performance.now();
    if (now - this.#toldAt < toldEveryMs) return;
    this.#log.warn({ ...details, times: this.#untold }, this.#message);
    this.#toldAt = now;
    this.#untold = 0;
  }
}
