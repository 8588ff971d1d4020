import { mkdirSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { storageProblem } from './durable.ts';
import { isScratchName, newKey } from './keys.ts';

/** A local folder for files on their way into a store. */
export class Scratch {
  readonly folder: string;

  /** The folder is made, for its owner only. */
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
    // A process that was told to end may still write into its folder.
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
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
