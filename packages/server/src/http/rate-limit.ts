import { Problem } from '../problem.ts';

const windowMs = 60_000;

/** Counts requests by caller in windows of a minute. One process counts for itself. */
export class RateLimit {
  readonly #requestsPerMinute: number;
  #windowStart = Number.NEGATIVE_INFINITY;
  #counts = new Map<string, number>();

  constructor(requestsPerMinute: number) {
    this.#requestsPerMinute = requestsPerMinute;
  }

  /** Counts one request; Problem 429 with `Retry-After` when the caller has used up his minute. */
  take(who: string): void {
    // Not by the clock of the day: set back, it would keep a window open for as long.
    const now = performance.now();
    if (now - this.#windowStart >= windowMs) {
      this.#windowStart = now;
      this.#counts = new Map();
    }
    const count = (this.#counts.get(who) ?? 0) + 1;
    this.#counts.set(who, count);
    if (count <= this.#requestsPerMinute) return;
    const retryAfterS = Math.max(1, Math.ceil((this.#windowStart + windowMs - now) / 1000));
    throw new Problem(429, 'TOO_MANY_REQUESTS', 'Too many requests. Wait, then try again.', { retryAfterS });
  }
}
