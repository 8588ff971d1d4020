import { type FileHandle, open } from 'node:fs/promises';

const gatherBytes = 1024 * 1024;

/** File of the bases, one byte each. */
export class BasesFile {
  readonly path: string;
  readonly #file: FileHandle;
  #gathered = new Uint8Array(gatherBytes * 2);
  #length = 0;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  static async create(path: string): Promise<BasesFile> {
    return new BasesFile(path, await open(path, 'wx', 0o600));
  }

  /** Gathers bytes, which are valid only during the call. `settle` must be called before there are too many. */
  add(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#gathered.length) {
      const larger = new Uint8Array(Math.max(needed, this.#gathered.length * 2));
      larger.set(this.#gathered.subarray(0, this.#length));
      this.#gathered = larger;
    }
    this.#gathered.set(bytes, this.#length);
    this.#length = needed;
  }

  /** Writes the gathered bytes, once there are enough. */
  async settle(): Promise<void> {
    if (this.#length >= gatherBytes) await this.#write();
  }

  async close(): Promise<void> {
    try {
      await this.#write();
    } finally {
      await this.#file.close();
    }
  }

  async #write(): Promise<void> {
    await this.#file.writeFile(this.#gathered.subarray(0, this.#length));
    this.#length = 0;
  }
}
