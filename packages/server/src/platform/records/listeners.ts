import type { PlatformLog } from './log.ts';

/** Listeners of changes by prefix. */
export class Listeners {
  readonly #log: PlatformLog;
  readonly #entries: { prefix: string; listener: (topic: string) => void }[] = [];

  constructor(log: PlatformLog) {
    this.#log = log;
  }

  add(prefix: string, listener: (topic: string) => void): void {
    this.#entries.push({ prefix, listener });
  }

  /**
   * Notifies all listeners with a matching prefix. An error neither stops the others nor fails the commit.
   */
  notify(topic: string): void {
    for (const { prefix, listener } of this.#entries) {
      if (topic.startsWith(prefix)) this.#call(listener, topic);
    }
  }

  /** Notifies all listeners that anything may have changed, with their own bare prefix. */
  notifyAll(): void {
    for (const { prefix, listener } of this.#entries) this.#call(listener, prefix);
  }

  #call(listener: (topic: string) => void, topic: string): void {
    try {
      listener(topic);
    } catch (error) {
      this.#log.error({ err: error, topic }, 'a listener of record changes threw');
    }
  }
}
