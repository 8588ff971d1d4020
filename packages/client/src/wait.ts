import { setTimeout as delay } from 'node:timers/promises';

const firstWaitMs = 20;
const longestWaitMs = 500;

/** Asks again and again, with growing pauses, until `ended` holds. An abort of `signal` rejects with its reason. */
export async function waitUntil<T>(
  ask: () => Promise<T>,
  ended: (state: T) => boolean,
  options: { signal?: AbortSignal | undefined; onState?: ((state: T) => void) | undefined } = {},
): Promise<T> {
  const { signal, onState } = options;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(longestWaitMs, waitMs * 1.5)) {
    signal?.throwIfAborted();
    const state = await ask();
    onState?.(state);
    if (ended(state)) return state;
    await delay(waitMs, undefined, signal ? { signal } : {}).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error;
    });
  }
}
