import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import type { PutOptions } from '../blobs.ts';
import { checkDigest, checkSize } from '../receive.ts';

/** Task of the joining thread. */
export interface JoinTask {
  paths: string[];
  /** A file that does not exist yet. */
  target: string;
  /** Computes the MD5, too. */
  md5: boolean;
}

export interface Joined {
  size: number;
  /** Lower-case hex. */
  sha256: string;
  /** Base64. */
  md5: string | undefined;
}

/** Concurrent joins: the disk is the limit, and each is a thread. */
const atOnceMax = 2;

/** Joins files in separate threads, a few at a time. */
export class Joiner {
  readonly #limit = pLimit(atOnceMax);

  /**
   * Writes the bytes of `paths`, one after the other, into `target` and syncs it. `sizes` are what the files have, checked
   * against the limits before anything is copied. On a failure the target is left for the caller to remove.
   */
  async join(
    paths: string[],
    sizes: number[],
    target: string,
    options: Omit<PutOptions, 'signal'>,
  ): Promise<{ size: number; sha256: string }> {
    const size = sizes.reduce((sum, one) => sum + one, 0);
    checkSize(size, options);
    return this.#limit(async () => {
      const joined = await run({ paths, target, md5: options.md5 !== undefined });
      if (joined.size !== size) throw new Error('A blob changed while it was being joined.');
      checkDigest(joined.md5, options);
      return { size, sha256: joined.sha256 };
    });
  }
}

function run(task: JoinTask): Promise<Joined> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./join-worker.ts', import.meta.url), {
      workerData: task,
      execArgv: [],
    });
    // A service that stops does not wait for it beyond the request: its file is swept.
    worker.unref();
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The joining thread ended without a word.')));
  });
}
