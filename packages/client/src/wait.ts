import { Patience, pause } from './patience.ts';

const firstWaitMs = 20;
const longestWaitMs = 500;

export interface WaitOptions<T> {
  /** An abort rejects with its reason. What is waited for goes on. */
  signal?: AbortSignal | undefined;
  /** Receives every observed state. */
  onState?: ((state: T) => void) | undefined;
}

/** Asks again and again, with growing pauses, until `ended` holds. A service that is away for a moment is waited for. */
export async function waitUntil<T>(
  ask: () => Promise<T>,
  ended: (state: T) => boolean,
  { signal, onState }: WaitOptions<T> = {},
): Promise<T> {
  const patience = new Patience();
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(longestWaitMs, waitMs * 1.5)) {
    signal?.throwIfAborted();
    let pauseMs = waitMs;
    try {
      const state = await ask();
      patience.renew();
      onState?.(state);
      if (ended(state)) return state;
    } catch (error) {
      pauseMs = patience.pauseAfter(error);
    }
    await pause(pauseMs, signal);
  }
}
