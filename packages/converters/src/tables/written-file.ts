import { closeSync, fdatasync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

const datasync = promisify(fdatasync);

/** A new file that a converter writes from its beginning to its end. Writes wait: a converter has its process to itself. */
export class WrittenFile {
  #file: number | undefined;

  /** Throws when there is a file already: no output is written over another. */
  constructor(path: string) {
    this.#file = openSync(path, 'wx', 0o600);
  }

  /** Adds all of the bytes; one call of the system may take fewer. */
  write(bytes: Uint8Array): void {
    if (this.#file === undefined) throw new Error('The file has ended');
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
  }

  /** Syncs the written bytes beside other work. The system reports a failure once: it is thrown here. */
  async sync(): Promise<void> {
    if (this.#file !== undefined) await datasync(this.#file);
  }

  /** Lets go of the file, also of one that was given up. A second time does nothing. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
