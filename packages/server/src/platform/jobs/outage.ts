/**
 * Whether leases ran out because the records could not be reached, while this process was alive all the time: such a run was not cut off by what it did.
 * A process that stalls knows nothing of the records.
 */
export class Outage {
  readonly #leaseMs: number;
  /** Records that do not answer for so long were away. */
  readonly #awayMs: number;
  readonly #now: () => number;
  #tickedAt: number;
  #stalledAt = Number.NEGATIVE_INFINITY;
  #reachedAt: number;
  #seenAt = Number.NEGATIVE_INFINITY;

  /** `askedEveryMs`: how often the records are asked. `now`: a monotonic clock, in ms. */
  constructor(leaseMs: number, askedEveryMs: number, now: () => number = () => performance.now()) {
    this.#leaseMs = leaseMs;
    this.#awayMs = Math.max((leaseMs * 2) / 3, 3 * askedEveryMs);
    this.#now = now;
    this.#tickedAt = this.#reachedAt = now();
  }

  /** To be called every tenth of a lease. */
  tick(): void {
    const now = this.#now();
    if (now - this.#tickedAt > this.#leaseMs / 2) this.#stalledAt = now;
    this.#tickedAt = now;
  }

  /** The records have answered. */
  reached(): void {
    this.tick();
    const now = this.#now();
    const wasAway = now - this.#reachedAt > this.#awayMs;
    if (wasAway && this.#stalledAt < this.#reachedAt) this.#seenAt = now;
    this.#reachedAt = now;
  }

  /** A run of this process has lost its lease. */
  leaseLost(): void {
    this.tick();
    const now = this.#now();
    if (now - this.#stalledAt > this.#leaseMs) this.#seenAt = now;
  }

  /** Whether leases that have run out may have done so for it: the last that was prolonged may have been so at its end. */
  get isRecent(): boolean {
    return this.#now() - this.#seenAt < 2 * this.#leaseMs;
  }
}
