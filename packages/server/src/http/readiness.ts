import { isStorageFull, Problem } from '../base/problem.ts';

/** Checks of /readyz, by the part of the service. */
type ReadinessChecks = Record<string, () => Promise<void>>;

const readyTimeoutMs = 5_000;

/**
 * Returns a function that runs all checks. Problem 503 when a part does not answer. Callers at the same time share one run: a check
 * needs no key, writes into the records and the store, and may start a process; many at once would take capacity from others.
 */
export function readiness(checks: ReadinessChecks): () => Promise<void> {
  let running: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    await Promise.all(Object.entries(checks).map(([part, check]) => answersInTime(part, check)));
  };
  return () => {
    running ??= look().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Returns a readiness that ends with `stop`: probes and proxies learn that the process stops. */
export function untilStopped(ready: () => Promise<void>): { ready: () => Promise<void>; stop: () => void } {
  let isStopping = false;
  return {
    ready: async () => {
      if (!isStopping) return ready();
      throw new Problem(503, 'NOT_READY', 'The service is not ready: it stops.', { retryAfterS: 5 });
    },
    stop: () => {
      isStopping = true;
    },
  };
}

async function answersInTime(part: string, check: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${readyTimeoutMs} ms`)), readyTimeoutMs);
  });
  try {
    await Promise.race([check(), late]);
  } catch (cause) {
    const reason = isStorageFull(cause) ? `no space is left for ${part}` : `${part} does not answer`;
    throw new Problem(503, 'NOT_READY', `The service is not ready: ${reason}.`, { cause, retryAfterS: 5 });
  } finally {
    clearTimeout(timer);
  }
}
