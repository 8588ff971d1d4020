import { mkdirSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { eachAlone } from '../concurrency/each-alone.ts';
import { storageProblem } from './durable.ts';
import { isScratchName, newKey } from './keys.ts';

/** A scratch file that was not written to for this long has no process any more. */
export const scratchLifeMs = 86_400_000;

/** Local folder for files that are being written. */
export class Scratch {
  readonly folder: string;

  /** Creates the folder, for its owner only. */
  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  path(extension: string): string {
    const name = `${newKey()}.${extension.replace(/^\./, '')}`;
    if (!isScratchName(name))
      throw new Error('A scratch file has an extension of 1 to 16 letters or digits.');
    return join(this.folder, name);
  }

  async inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
    const path = this.path('folder');
    await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
      throw storageProblem(error);
    });
    try {
      return await work(path);
    } finally {
      await this.discard(path);
    }
  }

  async discard(path: string): Promise<void> {
    if (!this.#isOurs(path)) throw new Error('Only what was made here is discarded.');
    // A process that is ending may still write into its folder.
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Removes what was last written before `before` (epoch milliseconds). */
  async sweep(before: number): Promise<void> {
    const sweepOne = async (name: string): Promise<void> => {
      const path = join(this.folder, name);
      // A file may be adopted or removed meanwhile.
      const found = await stat(path).catch(() => undefined);
      if (found && found.mtimeMs < before && this.#isOurs(path))
        await rm(path, { recursive: true, force: true });
    };
    await eachAlone(await readdir(this.folder), sweepOne, {
      failed: 'a scratch file could not be removed; it is tried again',
      about: (name) => ({ name }),
    });
  }

  /** Throws for a path that was not made here: a file, or one in a folder of ours. */
  requireOwn(path: string): void {
    if (this.#isOurs(path) || this.#isOurs(dirname(path))) return;
    throw new Error('Only files that scratchPath named, or in a scratch folder, are adopted.');
  }

  #isOurs(path: string): boolean {
    return dirname(path) === this.folder && isScratchName(basename(path));
  }
}
