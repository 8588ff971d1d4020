import { Problem } from '../../base/problem.ts';

const windowMs = 60_000;

/** Limits the requests of each caller in windows of a minute; each process counts for itself. */
export class RateLimit {
  readonly #requestsPerMinute: number;
  #windowStart = Number.NEGATIVE_INFINITY;
  #counts = new Map<string, number>();

  constructor(requestsPerMinute: number) {
    this.#requestsPerMinute = requestsPerMinute;
  }

  /** Counts a request of a caller or network; Problem 429 with `Retry-After` beyond the limit of the minute. */
  take(key: string): void {
    // A monotonic clock: setting the system clock back must not extend the window.
    const now = performance.now();
    if (now - this.#windowStart >= windowMs) {
      this.#windowStart = now;
      this.#counts = new Map();
    }
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (count <= this.#requestsPerMinute) return;
    const retryAfterS = Math.max(1, Math.ceil((this.#windowStart + windowMs - now) / 1000));
    throw new Problem(429, 'TOO_MANY_REQUESTS', 'Too many requests. Wait, then try again.', { retryAfterS });
  }
}
