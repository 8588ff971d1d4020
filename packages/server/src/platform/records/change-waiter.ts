import type { Records } from './records.ts';

/** Waits for announced changes of single things, by their ids behind a prefix of topics. */
export class ChangeWaiter {
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(records: Pick<Records, 'onChange'>, prefix: string) {
    records.onChange(prefix, (topic) => {
      const id = topic.slice(prefix.length);
      // A bare prefix means that anything may have changed.
      for (const waiting of id === '' ? [...this.#waiting.keys()] : [id])
        for (const wake of [...(this.#waiting.get(waiting) ?? [])]) wake();
    });
  }

  /** Resolves when a change is announced or the signal aborts. Called before the record is read, it misses no change. */
  next(id: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wakers = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, wakers);
    const wake = (): void => {
      signal.removeEventListener('abort', wake);
      wakers.delete(wake);
      if (wakers.size === 0) this.#waiting.delete(id);
      resolve();
    };
    wakers.add(wake);
    if (signal.aborted) wake();
    else signal.addEventListener('abort', wake);
    return promise;
  }
}
