import type { Logger } from './log.ts';

const everyMs = 10 * 60_000;

/** Runs the sweeps of the domains shortly after the start and every ten minutes, one after the other. */
export class Maintenance {
  readonly #log: Logger;
  readonly #sweeps: (() => Promise<unknown>)[];
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(log: Logger, sweeps: (() => Promise<unknown>)[]) {
    this.#log = log;
    this.#sweeps = sweeps;
  }

  start(): void {
    this.#timer = setInterval(() => void this.run(), everyMs);
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
