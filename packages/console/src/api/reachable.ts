import { ClientError } from '@ploidy/client';
import { at } from './place.ts';

const pauseMs = 1000;
const listeners = new Set<() => void>();
let isReachable = true;
let waiting: Promise<void> | undefined;

/** Listeners that learn when the service stops to answer, and when it is back. */
export const connectionState = {
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

/** Reports whether the service answered last. */
export const isConnected = (): boolean => isReachable;

/** Reports whether an error is that of a service that does not answer. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ClientError && error.code === 'UNREACHABLE';

/** Notes that the service does not answer. */
export function noteUnreachable(): void {
  set(false);
}

/** Resolves when the service answers. It is asked every second, once for all who wait. */
export function serviceAnswers(): Promise<void> {
  waiting ??= ask().finally(() => {
    waiting = undefined;
  });
  return waiting;
}

async function ask(): Promise<void> {
  for (;;) {
    // A proxy in front keeps the probes to itself, and answers 5xx while the service is away.
    const response = await fetch(at('/v1/version'), { cache: 'no-store' }).catch(() => undefined);
    if (response !== undefined && response.status < 500) return set(true);
    set(false);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Loads a part of the console. A part that does not arrive is asked for again once the service answers. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    await serviceAnswers();
    return load();
  }
}

function set(now: boolean): void {
  if (isReachable === now) return;
  isReachable = now;
  for (const listener of listeners) listener();
}
