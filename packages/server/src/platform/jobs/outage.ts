/**
 * Whether leases ran out because the records could not be reached, while this process was alive all the time: such a run was not cut off by what it did.
 * A process that stalls knows nothing of the records.
 */
export class Outage {
  readonly #leaseMs: number;
  readonly #now: () => number;
  #tickedAt: number;
  #stalledAt = Number.NEGATIVE_INFINITY;
  #reachedAt: number;
  #seenAt = Number.NEGATIVE_INFINITY;

  /** `now`: a monotonic clock, in ms. */
  constructor(leaseMs: number, now: () => number = () => performance.now()) {
    this.#leaseMs = leaseMs;
    this.#now = now;
    this.#tickedAt = this.#reachedAt = now();
  }

  /** To be called every tenth of a lease. */
  tick(): void {
    const now = this.#now();
    if (now - this.#tickedAt > this.#leaseMs / 2) this.#stalledAt = now;
    this.#tickedAt = now;
  }

  /** The records have answered, who are asked several times in a lease. */
  reached(): void {
    this.tick();
    const now = this.#now();
    const wasAway = now - this.#reachedAt > (this.#leaseMs * 2) / 3;
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
