import { ClientError } from './client-error.ts';

/** Time for retries; tests replace it. */
export interface Clock {
  now(): number;
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Rules by which failed work is tried again. */
export interface RetryPolicy {
  /** Reports whether a later attempt may succeed. */
  isPassing?: (error: unknown) => boolean;
  /** Attempts that are made in any case, however long each of them took. */
  attemptsMin?: number;
  attemptsMax?: number;
  /** Longest outage, from the first failure. The default is long enough for a restart. */
  outageMaxMs?: number;
  /** Longest delay that the service may request; an error with a longer one is final. */
  requestedMaxMs?: number;
  firstPauseMs?: number;
  pauseMaxMs?: number;
  clock?: Clock | undefined;
}

export interface RetryOptions extends RetryPolicy {
  /** An abort rejects at once with its reason, also during a pause. */
  signal?: AbortSignal | undefined;
  /** Called before each pause. */
  onPause?: (pauseMs: number) => void;
}

const systemClock: Clock = { now: () => Date.now(), wait: pause };

/** Repeats work that may be repeated, until it succeeds or the policy ends it with the last error. */
export async function retry<T>(
  work: () => Promise<T>,
  { signal, onPause, ...policy }: RetryOptions = {},
): Promise<T> {
  const { clock = systemClock } = policy;
  const backoff = new Backoff(policy);
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      const pauseMs = backoff.pauseAfter(error);
      onPause?.(pauseMs);
      await clock.wait(pauseMs, signal);
    }
  }
}

/** Exponential back-off within one outage. */
export class Backoff {
  readonly #policy: Required<Omit<RetryPolicy, 'clock'>>;
  readonly #clock: Clock;
  #attempts = 0;
  #awaySince: number | undefined;
  #pauseMs: number;

  constructor({ clock = systemClock, ...policy }: RetryPolicy = {}) {
    this.#policy = {
      isPassing,
      attemptsMin: 1,
      attemptsMax: Number.POSITIVE_INFINITY,
      outageMaxMs: 60_000,
      requestedMaxMs: Number.POSITIVE_INFINITY,
      firstPauseMs: 20,
      pauseMaxMs: 500,
      ...policy,
    };
    this.#clock = clock;
    this.#pauseMs = this.#policy.firstPauseMs;
  }

  /** Ends the outage: the service has answered, or sent a byte. */
  renew(): void {
    this.#attempts = 0;
    this.#awaySince = undefined;
    this.#pauseMs = this.#policy.firstPauseMs;
  }

  /** Computes the delay before the next attempt, in milliseconds: at least the requested one. Throws final errors. */
  pauseAfter(error: unknown): number {
    const { attemptsMin, attemptsMax, outageMaxMs, requestedMaxMs, pauseMaxMs } = this.#policy;
    const requestedMs = (error instanceof ClientError && error.retryAfterMs) || 0;
    this.#attempts += 1;
    const isRepeatable = this.#attempts < attemptsMax && requestedMs <= requestedMaxMs;
    if (!isRepeatable || !this.#policy.isPassing(error)) throw error;
    this.#awaySince ??= this.#clock.now();
    const isGranted = this.#attempts < attemptsMin;
    const leftMs = isGranted ? outageMaxMs : this.#awaySince + outageMaxMs - this.#clock.now();
    if (leftMs <= 0) throw error;
    const pauseMs = Math.max(this.#pauseMs, requestedMs);
    this.#pauseMs = Math.min(pauseMaxMs, this.#pauseMs * 1.5);
    return Math.min(pauseMs, leftMs);
  }
}

/** Reports whether a retry may succeed. A full disk needs an operator. */
export function isPassing(error: unknown): error is ClientError {
  if (!(error instanceof ClientError) || error.code === 'STORAGE_FULL') return false;
  return error.code === 'UNREACHABLE' || isPassingStatus(error.status);
}

/** Statuses of too many requests, of a restart or overload, and of a proxy (502, 504) in front of a stopped service. */
export function isPassingStatus(status: number): boolean {
  return [429, 502, 503, 504].includes(status);
}

/** Promise with the functions that settle it. */
interface Deferred<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (reason: unknown) => void;
}

/** Makes a promise that others settle. Node 20 has no `Promise.withResolvers`. */
export function deferred<T>(): Deferred<T> {
  const made: Partial<Deferred<T>> = {};
  const promise = new Promise<T>((resolve, reject) => Object.assign(made, { resolve, reject }));
  return { resolve: () => undefined, reject: () => undefined, ...made, promise };
}

/** Waits, with the timers that browsers have too. An abort rejects with its reason. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = deferred<void>();
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
