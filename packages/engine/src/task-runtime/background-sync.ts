/** Brings a file that grows to the disk meanwhile: at its end there would be all of it to wait for. */
export class BackgroundSync {
  readonly #sync: () => Promise<void>;
  readonly #everyBytes: number;
  #unsynced = 0;
  /** The running sync, at most one. A failed one is kept, because the system reports a failure once. */
  #running: Promise<void> | undefined;

  /** `sync`: brings what there is to the disk. */
  constructor(sync: () => Promise<void>, everyBytes: number) {
    this.#sync = sync;
    this.#everyBytes = everyBytes;
  }

  /** Notes bytes that were written. */
  add(bytes: number): void {
    this.#unsynced += bytes;
    if (this.#unsynced < this.#everyBytes || this.#running) return;
    this.#unsynced = 0;
    this.#running = this.#sync();
    this.#running.then(
      () => {
        this.#running = undefined;
      },
      // Reported by `ended`.
      () => undefined,
    );
  }

  /** Rejects when one has failed. Bytes after the last one still have to be synced. */
  async ended(): Promise<void> {
    await this.#running;
  }
}
