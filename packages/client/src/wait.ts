import { setTimeout as delay } from 'node:timers/promises';
import { ClientError } from './client-error.ts';

const firstWaitMs = 20;
const longestWaitMs = 500;
/** How long a service may be away (it is being restarted: queries and ingestions go on afterwards). */
const patienceMs = 60_000;

export interface WaitOptions<T> {
  /** An abort rejects with its reason. What is waited for goes on. */
  signal?: AbortSignal | undefined;
  /** Told every state that is seen. */
  onState?: ((state: T) => void) | undefined;
}

/** Asks again and again, with growing pauses, until `ended` holds. A service that is away for a moment is waited for. */
export async function waitUntil<T>(
  ask: () => Promise<T>,
  ended: (state: T) => boolean,
  { signal, onState }: WaitOptions<T> = {},
): Promise<T> {
  let answeredAt = Date.now();
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(longestWaitMs, waitMs * 1.5)) {
    signal?.throwIfAborted();
    try {
      const state = await ask();
      answeredAt = Date.now();
      onState?.(state);
      if (ended(state)) return state;
    } catch (error) {
      if (!isAway(error) || Date.now() - answeredAt > patienceMs) throw error;
    }
    await delay(waitMs, undefined, signal ? { signal } : {}).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error;
    });
  }
}

function isAway(error: unknown): boolean {
  return error instanceof ClientError && (error.code === 'UNREACHABLE' || error.status === 503);
}
