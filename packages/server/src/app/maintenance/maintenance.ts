import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../platform/log/log.ts';
import type { Duty } from './duty.ts';

/** Maximum interval of a Node timer. */
const intervalMaxMs = 2 ** 31 - 1;

/** Periodic work. Rejects soon after the signal is aborted. */
export type Sweep = (signal: AbortSignal) => Promise<unknown>;

/** Runs the sweeps of the domains in sequence, shortly after the start and then at an interval. */
export class Maintenance {
  readonly #log: Logger;
  readonly #sweeps: readonly Sweep[];
  readonly #everyMs: number;
  readonly #duty: Duty | undefined;
  #timer: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  readonly #stopped = new AbortController();

  /** `duty`: lease of work that one process does for all. */
  constructor(log: Logger, sweeps: readonly Sweep[], everyMs: number, duty?: Duty) {
    this.#log = log;
    this.#sweeps = sweeps;
    this.#everyMs = Math.min(everyMs, intervalMaxMs);
    this.#duty = duty;
  }

  start(): void {
    this.#timer = setInterval(() => void this.run(), this.#everyMs);
    this.#timer.unref();
    void this.run();
  }

  /**
   * Starts no further sweep and waits for the running one, up to a limit: an unresponsive store must not
   * block the stop.
   */
  async stop(waitMs: number): Promise<void> {
    this.#stopped.abort();
    clearInterval(this.#timer);
    clearTimeout(this.#retry);
    if (this.#running) await Promise.race([this.#running, delay(waitMs, undefined, { ref: false })]);
    // Without a database the lease ends by itself.
    await this.#duty?.release().catch(() => undefined);
  }

  /** Runs all sweeps, unless they are running already. */
  async run(): Promise<void> {
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  async #take(duty: Duty): Promise<boolean> {
    try {
      return await duty.take();
    } catch (error) {
      this.#log.error({ err: error }, 'the lease of the sweeps could not be taken');
      return false;
    }
  }

  async #runAll(): Promise<void> {
    const { signal } = this.#stopped;
    for (const sweep of this.#sweeps) {
      const isOnDuty = this.#duty === undefined || (await this.#take(this.#duty));
      if (signal.aborted) return;
      if (!isOnDuty) return this.#runLater();
      await sweep(signal).catch((error: unknown) => {
        if (!signal.aborted) this.#log.error({ err: error }, 'a sweep failed');
      });
    }
    // A process that is killed later holds no lease. Without a database the lease ends by itself.
    await this.#duty?.release().catch(() => undefined);
  }

  /** Tries again when the lease of another process has ended, which may have been killed. */
  #runLater(): void {
    clearTimeout(this.#retry);
    const waitMs = Math.min(this.#duty?.leaseMs ?? 0, intervalMaxMs);
    this.#retry = setTimeout(() => void this.run(), waitMs);
    this.#retry.unref();
  }
}
