import { ClientError } from './client-error.ts';

/** Maximum outage in milliseconds: long enough for a restart. */
const patienceMs = 60_000;
const firstPauseMs = 20;
const longestPauseMs = 500;
/** Too many requests, being restarted or full of work; 502 and 504 are what a proxy says while the service behind it is away. */
const passingStatuses = [429, 502, 503, 504];

/** Counts for how long a service is away, from the first attempt that it left without an answer. */
export class Patience {
  readonly #now: () => number;
  #awaySince: number | undefined;
  #pauseMs = firstPauseMs;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The service has answered, or sent a byte. */
  renew(): void {
    this.#awaySince = undefined;
    this.#pauseMs = firstPauseMs;
  }

  /** Computes the delay before the next attempt, in ms: at least the requested one. Throws permanent errors, and others after the deadline. */
  pauseAfter(error: unknown): number {
    if (!isPassing(error)) throw error;
    this.#awaySince ??= this.#now();
    const leftMs = this.#awaySince + patienceMs - this.#now();
    if (leftMs <= 0) throw error;
    const pauseMs = Math.max(this.#pauseMs, error.retryAfterMs ?? 0);
    this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 1.5);
    return Math.min(pauseMs, leftMs);
  }
}

/** Reports whether a retry may succeed. A full disk needs an operator. */
export function isPassing(error: unknown): error is ClientError {
  if (!(error instanceof ClientError) || error.code === 'STORAGE_FULL') return false;
  return error.code === 'UNREACHABLE' || passingStatuses.includes(error.status);
}

/** Waits, with the timers that browsers have too. An abort rejects with its reason. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = (): void => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
