/** Brings a file that grows to the disk meanwhile: at its end there would be all of it to wait for. */
export class BackgroundSync {
  readonly #sync: () => Promise<void>;
  readonly #everyBytes: number;
  #unsynced = 0;
  /** At most one at a time. One that failed stays, because the system tells a failure once. */
  #running: Promise<void> | undefined;

  /** `sync`: brings what there is to the disk. */
  constructor(sync: () => Promise<void>, everyBytes: number) {
    this.#sync = sync;
    this.#everyBytes = everyBytes;
  }

  /** So many more bytes are there. */
  add(bytes: number): void {
    this.#unsynced += bytes;
    if (this.#unsynced < this.#everyBytes || this.#running) return;
    this.#unsynced = 0;
    this.#running = this.#sync();
    this.#running.then(
      () => {
        this.#running = undefined;
      },
      // Told by `ended`.
      () => undefined,
    );
  }

  /** Rejects when one has failed. What came after the last one still has to be synced. */
  async ended(): Promise<void> {
    await this.#running;
  }
}
