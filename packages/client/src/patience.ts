import { setTimeout as delay } from 'node:timers/promises';
import { ClientError } from './client-error.ts';

/** How long a service may be away: it is being restarted, and what ran goes on afterwards. */
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

  /** How long to wait before the next attempt, in ms: no less than the service asks for. Throws what does not pass, or has not in time. */
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

/** Whether the same may be answered in a moment. */
export function isPassing(error: unknown): error is ClientError {
  return (
    error instanceof ClientError && (error.code === 'UNREACHABLE' || passingStatuses.includes(error.status))
  );
}

/** Waits. An abort rejects with its reason. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : error;
  });
}
