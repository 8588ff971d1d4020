import type { Logger } from './log.ts';

const everyMs = 10 * 60_000;

/** Runs the sweeps of the domains shortly after the start and every ten minutes, one after the other. */
export class Maintenance {
  readonly #log: Logger;
  readonly #sweeps: (() => Promise<unknown>)[];
  #timer: NodeJS.Timeout | undefined;
  #running = false;

  constructor(log: Logger, sweeps: (() => Promise<unknown>)[]) {
    this.#log = log;
    this.#sweeps = sweeps;
  }

  start(): void {
    this.#timer = setInterval(() => void this.run(), everyMs);
    this.#timer.unref();
    void this.run();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    for (const sweep of this.#sweeps) {
      await sweep().catch((error: unknown) => this.#log.error({ err: error }, 'a sweep failed'));
    }
    this.#running = false;
  }
}
