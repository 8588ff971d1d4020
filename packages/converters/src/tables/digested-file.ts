import { createHash } from 'node:crypto';
import type { FileDigest } from '@ploidy/engine/task-runtime';
import { BackgroundSync } from '@ploidy/engine/task-runtime';
import { WrittenFile } from './written-file.ts';

/** Bytes after which the disk starts to write: less remains when the file is complete. */
const syncEveryBytes = 2 << 20;

/** A new file whose size and hash are known when its last byte is written, without a second reading. */
export class DigestedFile {
  readonly #file: WrittenFile;
  readonly #hash = createHash('sha256');
  #size = 0;
  readonly #sync: BackgroundSync;

  /** Creates the file. Throws when it exists. */
  constructor(path: string) {
    this.#file = new WrittenFile(path);
    this.#sync = new BackgroundSync(() => this.#file.sync(), syncEveryBytes);
  }

  write(bytes: Uint8Array): void {
    this.#file.write(bytes);
    this.#hash.update(bytes);
    this.#size += bytes.length;
    this.#sync.add(bytes.length);
  }

  /** Ends it, once. What it holds still has to be synced (`syncFile`). Rejects when what was synced meanwhile failed. */
  async end(): Promise<FileDigest> {
    try {
      await this.#sync.ended();
    } finally {
      this.close();
    }
    return { size: this.#size, sha256: this.#hash.digest('hex') };
  }

  /** Closes the file, also an abandoned one. */
  close(): void {
    this.#file.close();
  }
}
