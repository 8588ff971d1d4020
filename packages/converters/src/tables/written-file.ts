import { closeSync, fdatasync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

const datasync = promisify(fdatasync);

/** New file that a converter writes from its beginning to its end. Writes block: a converter has its own process. */
export class WrittenFile {
  #file: number | undefined;

  /** Creates the file. Throws when it exists: outputs never overwrite another. */
  constructor(path: string) {
    this.#file = openSync(path, 'wx', 0o600);
  }

  /** Appends all of the bytes; one system call may accept fewer. */
  write(bytes: Uint8Array): void {
    if (this.#file === undefined) throw new Error('The file has ended');
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
  }

  /** Syncs the written bytes beside other work. The system reports a failure once: it is thrown here. */
  async sync(): Promise<void> {
    if (this.#file !== undefined) await datasync(this.#file);
  }

  /** Closes the file, also an abandoned one. Further calls do nothing. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
