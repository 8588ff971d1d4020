import { write, writeSync } from 'node:fs';

/** Characters that wait to be written; lines beyond are left out. */
const waitingMax = 4 * 2 ** 20;
/** Between two tries to write to what cannot be written to. */
const retryMs = 1000;

/**
 * Writes lines to a file descriptor, simultaneous ones at once, without blocking. An unwritable one (a full disk, a closed
 * pipe) neither ends the process nor keeps it from ending. Lines wait and are tried again, at the end once more.
 */
export class LogLines {
  readonly #descriptor: number;
  #waiting = '';
  /** Line of which only a part has been written. */
  #begun: Buffer = Buffer.alloc(0);
  #isWriting = false;
  /** Set while the next write is scheduled, in this tick or after a failed one. */
  #isDue = false;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    process.once('exit', () => this.flushSync());
  }

  write(line: string): void {
    if (this.#begun.length + this.#waiting.length + line.length > waitingMax) return;
    this.#waiting += line;
    if (this.#isWriting || this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#writeOn());
  }

  /** Writes the remaining lines synchronously before the process ends, and after a fatal line. */
  flushSync(): void {
    // A chunk that is being written belongs to that write.
    const begun = this.#isWriting ? Buffer.alloc(0) : this.#begun;
    const bytes = Buffer.concat([begun, Buffer.from(this.#waiting)]);
    if (!this.#isWriting) this.#begun = Buffer.alloc(0);
    this.#waiting = '';
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
    } catch {
      // Nothing can be written, so the failure cannot be reported.
    }
  }

  #writeOn(): void {
    this.#isDue = false;
    this.#begun = Buffer.concat([this.#begun, Buffer.from(this.#waiting)]);
    this.#waiting = '';
    if (this.#begun.length === 0) return;
    this.#isWriting = true;
    write(this.#descriptor, this.#begun, (error, written) => {
      this.#isWriting = false;
      if (error) {
        this.#isDue = true;
        setTimeout(() => this.#writeOn(), retryMs).unref();
        return;
      }
      this.#begun = this.#begun.subarray(written);
      this.#writeOn();
    });
  }
}
