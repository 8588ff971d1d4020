import type { Logger } from './log.ts';

/** The longest interval that a timer of Node keeps. */
const intervalMaxMs = 2 ** 31 - 1;

/** Runs sweeps of the domains shortly after the start and every so often, one after the other. */
export class Maintenance {
  readonly #log: Logger;
  readonly #sweeps: (() => Promise<unknown>)[];
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(log: Logger, sweeps: (() => Promise<unknown>)[], everyMs: number) {
    this.#log = log;
    this.#sweeps = sweeps;
    this.#everyMs = Math.min(everyMs, intervalMaxMs);
  }

  start(): void {
    this.#timer = setInterval(() => void this.run(), this.#everyMs);
    this.#timer.unref();
    void this.run();
  }

  /** No further sweep begins; waits for the one that runs. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Runs all sweeps, unless they are running already. */
  async run(): Promise<void> {
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  async #runAll(): Promise<void> {
    for (const sweep of this.#sweeps) {
      if (this.#stopped) return;
      await sweep().catch((error: unknown) => this.#log.error({ err: error }, 'a sweep failed'));
    }
  }
}
