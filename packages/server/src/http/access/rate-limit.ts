import { Problem } from '../../base/problem.ts';

const windowMs = 60_000;
/** A wider network may send this many times what one may. */
const widerFactor = 4;

/** Limits the requests of each caller in windows of a minute; each process counts for itself. */
export class RateLimit {
  readonly #requestsPerMinute: number;
  #windowStart = Number.NEGATIVE_INFINITY;
  #counts = new Map<string, number>();

  constructor(requestsPerMinute: number) {
    this.#requestsPerMinute = requestsPerMinute;
  }

  /** Counts a request of a caller; Problem 429 with `Retry-After` beyond the limit of the minute. */
  take(key: string): void {
    const refusal = this.tryNetworks([key]);
    if (refusal) throw refusal;
  }

  /**
   * Builds the headers that describe what is left to a caller in this minute (draft-ietf-httpapi-ratelimit-headers-10). With
   * several processes that of the one that answers.
   */
  headersFor(key: string): Record<string, string> {
    const limit = this.#requestsPerMinute;
    const left = Math.max(0, limit - (this.#counts.get(key) ?? 0));
    const endsInS = Math.max(0, Math.ceil((this.#windowStart + windowMs - performance.now()) / 1000));
    return {
      'ratelimit-policy': `"minute";q=${limit};w=${windowMs / 1000}`,
      ratelimit: `"minute";r=${left};t=${endsInS}`,
    };
  }

  /**
   * Counts a request of networks, each within the next. Returns the problem when one is beyond its limit; then none is counted, so
   * that a narrow network at its limit uses up nothing of a wider one.
   */
  tryNetworks(networks: readonly string[]): Problem | undefined {
    // A monotonic clock: setting the system clock back must not extend the window.
    const now = performance.now();
    if (now - this.#windowStart >= windowMs) {
      this.#windowStart = now;
      this.#counts = new Map();
    }
    const counts = networks.map((name) => this.#counts.get(name) ?? 0);
    const isBeyond = counts.some((count, at) => count >= this.#requestsPerMinute * widerFactor ** at);
    if (isBeyond) return tooMany(Math.max(1, Math.ceil((this.#windowStart + windowMs - now) / 1000)));
    for (const [at, name] of networks.entries()) this.#counts.set(name, (counts[at] ?? 0) + 1);
    return undefined;
  }
}

function tooMany(retryAfterS: number): Problem {
  return new Problem(429, 'TOO_MANY_REQUESTS', 'Too many requests. Wait, then try again.', { retryAfterS });
}
