import type { PlatformLog } from '../records/log.ts';

/**
 * Repeats work at an interval and on request, never concurrently. A failure is logged and does not end it.
 */
export class Ticker {
  readonly #what: string;
  readonly #everyMs: number;
  readonly #log: PlatformLog;
  readonly #task: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #again = false;

  constructor(what: string, everyMs: number, log: PlatformLog, task: () => Promise<void>) {
    this.#what = what;
    this.#everyMs = everyMs;
    this.#log = log;
    this.#task = task;
  }

  get busy(): boolean {
    return this.#running !== undefined;
  }

  get stopped(): boolean {
    return this.#timer === undefined;
  }

  start(): void {
    this.#timer = setInterval(() => this.now(), this.#everyMs);
    this.#timer.unref();
    this.now();
  }

  /** Does it now; if it is being done, once more after that, since it may have missed what this call is about. */
  now(): void {
    if (this.stopped) return;
    this.#again = true;
    this.#running ??= this.#run();
  }

  /** Ends the ticking and waits for what is under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  async #run(): Promise<void> {
    // Lets `#running` be set first.
    await Promise.resolve();
    while (this.#again && !this.stopped) {
      this.#again = false;
      try {
        await this.#task();
      } catch (error) {
        this.#log.error({ err: error }, `${this.#what} failed; it is tried again`);
      }
    }
    this.#running = undefined;
  }
}
