import { ApiError } from '../../api/client.ts';
import type { Upload } from './upload.ts';

const pauseMaxMs = 15_000;
/** Quarter of an hour: longer than a restart of the service or a change of network takes. */
const patienceMs = 900_000;
/** Answers that a later attempt may not get. */
const passing = [408, 429, 500, 502, 503, 504];

/** Repeats a step of an upload while the service cannot be reached, with longer and longer pauses. */
export async function withRetries(
  signal: AbortSignal,
  change: (fields: Partial<Upload>) => void,
  step: () => Promise<void>,
): Promise<void> {
  const end = Date.now() + patienceMs;
  for (let pauseMs = 1000; ; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
    try {
      await step();
      change({ isStalled: false });
      return;
    } catch (error) {
      const isFinal = error instanceof ApiError && !passing.includes(error.status);
      if (isFinal || signal.aborted || Date.now() + pauseMs > end) throw error;
      change({ isStalled: true });
      await paused(pauseMs, signal);
    }
  }
}

/** Waits; an abort ends it. */
function paused(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
