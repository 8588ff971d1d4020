/**
 * Detects leases that expired because the records were unreachable while this process was alive: such a run
 * did not fail by itself. A process that stalls learns nothing about the records.
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

  /** Check for every tenth of a lease. */
  tick(): void {
    const now = this.#now();
    if (now - this.#tickedAt > this.#leaseMs / 2) this.#stalledAt = now;
    this.#tickedAt = now;
  }

  /** Notes that the records have answered. */
  reached(): void {
    this.tick();
    const now = this.#now();
    const wasAway = now - this.#reachedAt > this.#awayMs;
    if (wasAway && this.#stalledAt < this.#reachedAt) this.#seenAt = now;
    this.#reachedAt = now;
  }

  /** Notes that a run of this process has lost its lease. */
  leaseLost(): void {
    this.tick();
    const now = this.#now();
    if (now - this.#stalledAt > this.#leaseMs) this.#seenAt = now;
  }

  /** Reports whether expired leases may be due to an outage: the last renewal may have been at its end. */
  get isRecent(): boolean {
    return this.#now() - this.#seenAt < 2 * this.#leaseMs;
  }
}
