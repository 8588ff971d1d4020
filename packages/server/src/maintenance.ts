import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from './log.ts';

/** The longest interval that a timer of Node keeps. */
const intervalMaxMs = 2 ** 31 - 1;

/** Rejects soon when the signal says that nobody wants it to go on. */
export type Sweep = (signal: AbortSignal) => Promise<unknown>;

/** Runs sweeps of the domains shortly after the start and every so often, one after the other. */
export class Maintenance {
  readonly #log: Logger;
  readonly #sweeps: readonly Sweep[];
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  readonly #stopped = new AbortController();

  constructor(log: Logger, sweeps: readonly Sweep[], everyMs: number) {
    this.#log = log;
    this.#sweeps = sweeps;
    this.#everyMs = Math.min(everyMs, intervalMaxMs);
  }

  start(): void {
    this.#timer = setInterval(() => void this.run(), this.#everyMs);
    this.#timer.unref();
    void this.run();
  }

  /** No further sweep begins; waits for the one that runs, but not longer than this: a store that does not answer holds nobody up. */
  async stop(waitMs: number): Promise<void> {
    this.#stopped.abort();
    clearInterval(this.#timer);
    if (this.#running) await Promise.race([this.#running, delay(waitMs, undefined, { ref: false })]);
  }

  /** Runs all sweeps, unless they are running already. */
  async run(): Promise<void> {
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  async #runAll(): Promise<void> {
    const { signal } = this.#stopped;
    for (const sweep of this.#sweeps) {
      if (signal.aborted) return;
      await sweep(signal).catch((error: unknown) => {
        if (!signal.aborted) this.#log.error({ err: error }, 'a sweep failed');
      });
    }
  }
}
