import { pause, retry } from './retry.ts';

const firstWaitMs = 20;
const longestWaitMs = 500;

export interface WaitOptions<T> {
  /** An abort rejects with its reason. What is waited for goes on. */
  signal?: AbortSignal | undefined;
  /** Receives every observed state. */
  onState?: ((state: T) => void) | undefined;
}

/**
 * Asks again and again, with growing pauses, until `ended` holds. A service that is away for a moment is waited for. `ask` gets the
 * signal, so that an abort need not wait for an answer.
 */
export async function waitUntil<T>(
  ask: (options: { signal?: AbortSignal }) => Promise<T>,
  ended: (state: T) => boolean,
  { signal, onState }: WaitOptions<T> = {},
): Promise<T> {
  const options = signal ? { signal } : {};
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(longestWaitMs, waitMs * 1.5)) {
    const state = await retry(() => ask(options), options);
    onState?.(state);
    if (ended(state)) return state;
    await pause(waitMs, signal);
  }
}
