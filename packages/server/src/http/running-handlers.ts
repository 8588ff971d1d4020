import { setTimeout as delay } from 'node:timers/promises';

/** Handlers that run, whether or not their connection is still open. */
export class RunningHandlers {
  readonly #running = new Set<Promise<unknown>>();

  async run<T>(handler: () => Promise<T>): Promise<T> {
    const running = handler();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Waits for the end of all handlers, up to a limit. */
  async ended(waitMs: number): Promise<void> {
    if (this.#running.size === 0) return;
    const late = new AbortController();
    const limit = delay(waitMs, undefined, { signal: late.signal }).catch(() => undefined);
    await Promise.race([Promise.allSettled(this.#running), limit]);
    late.abort();
  }
}
