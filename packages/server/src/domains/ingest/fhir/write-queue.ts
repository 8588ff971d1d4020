import { close, write } from 'node:fs';
import { promisify } from 'node:util';

const writeFile = promisify(write);
const closeFile = promisify(close);

/** Bytes that may wait to be written. */
const waitingBytesMax = 16 * 1024 * 1024;
/** Size of the buffers that are written. */
const bufferBytes = 1024 * 1024;

/** Writes buffers to files in the background, one after the other, while the reading goes on. */
export class WriteQueue {
  #last: Promise<void> = Promise.resolve();
  #waitingBytes = 0;
  #failure: { error: unknown } | undefined;
  /** Buffers that have been written: to fill one again is cheaper than to have the system clear the pages of a new one. */
  readonly #free: Buffer[] = [];

  /** A buffer to fill and to hand to `write`. */
  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
  }

  /** Writes the first bytes of a buffer that was taken here. It belongs to the queue again. */
  write(file: number, buffer: Buffer, bytes: number): void {
    this.#waitingBytes += bytes;
    this.#add(async () => {
      for (let at = 0; at < bytes && !this.#failure; ) {
        at += (await writeFile(file, buffer, at, bytes - at, null)).bytesWritten;
      }
      this.#waitingBytes -= bytes;
      this.#free.push(buffer);
    });
  }

  close(file: number): void {
    this.#add(() => closeFile(file));
  }

  #add(step: () => Promise<void>): void {
    this.#last = this.#last.then(step).catch((error: unknown) => {
      this.#failure ??= { error };
    });
  }

  /** Waits while too much is waiting. Rejects when a write has failed. */
  async room(): Promise<void> {
    if (this.#waitingBytes > waitingBytesMax) await this.settled();
  }

  /** Waits until everything is written and closed. Rejects when a write has failed. */
  async settled(): Promise<void> {
    await this.#last;
    if (this.#failure) throw this.#failure.error;
  }

  /** Waits until no write is under way, whatever came of it. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
