import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { PartedUpload } from '@ploidy/client';
import { credentialsPath } from './config.ts';

/** State of one upload in parts, kept beside the credentials: a killed command is resumed by the next of the same file. */
export class UploadState {
  readonly #path: string;

  /** The file is known by its path, size and time: a changed one begins anew. */
  constructor(target: { origin: string; project: string; name: string; path: string }) {
    const { size, mtimeMs } = statSync(target.path);
    const key = JSON.stringify({ ...target, path: resolve(target.path), size, mtimeMs });
    const digest = createHash('sha256').update(key).digest('hex');
    this.#path = join(dirname(credentialsPath()), 'uploads', `${digest}.json`);
  }

  read(): PartedUpload | undefined {
    try {
      return JSON.parse(readFileSync(this.#path, 'utf8')) as PartedUpload;
    } catch (error) {
      // A file that was cut off by a kill is as good as none.
      if (error instanceof SyntaxError) return undefined;
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  write(state: PartedUpload): void {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    writeFileSync(this.#path, JSON.stringify(state), { mode: 0o600 });
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}
