import { mkdir, open, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { hasCode } from '../../base/error-code.ts';
import { renameDurably } from '../../platform/blobs/durable.ts';
import { newKey } from '../../platform/blobs/keys.ts';
import { writeReceived } from '../../platform/blobs/write-file.ts';
import { DataFolderTaken, lockDataFolder } from '../../platform/records/index.ts';
import type { FileInfo } from './row-file.ts';
import { type BackupStore, inUse, type StoredFile } from './store.ts';

/** Folder for files that are being written. */
const unfinished = 'unfinished';

/** Backups as files of one folder. */
export class FolderStore implements BackupStore {
  readonly name: string;

  constructor(folder: string) {
    this.name = folder;
  }

  async write(
    path: string,
    source: Readable,
    accepts: (info: FileInfo) => boolean = () => true,
  ): Promise<FileInfo | undefined> {
    const temporary = join(this.name, unfinished, newKey());
    const target = join(this.name, path);
    try {
      const info = await writeReceived(temporary, source, {}, true);
      if (!accepts(info)) return undefined;
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await renameDurably(temporary, target);
      return info;
    } finally {
      source.destroy();
      await rm(temporary, { force: true });
    }
  }

  async read(path: string): Promise<Readable | undefined> {
    const file = await open(join(this.name, path), 'r').catch(ignoreMissing);
    return file?.createReadStream({ highWaterMark: 1024 * 1024 });
  }

  async *list(folder: string): AsyncGenerator<StoredFile> {
    const entries = await readdir(join(this.name, folder), { withFileTypes: true }).catch(ignoreMissing);
    for (const entry of entries ?? []) {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) yield* this.list(`${path}/`);
      else yield { path, size: (await stat(join(this.name, path))).size };
    }
  }

  async remove(path: string): Promise<void> {
    await rm(join(this.name, path), { force: true });
    // A folder goes with its last file.
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
      await rmdir(join(this.name, folder)).catch((error: unknown) => {
        if (!hasCode(error, 'ENOTEMPTY', 'ENOENT', 'EEXIST')) throw error;
      });
  }

  async alone<T>(work: (requireTurn: () => void) => Promise<T>): Promise<T> {
    await mkdir(this.name, { recursive: true, mode: 0o700 });
    const lock = lockOf(this.name);
    try {
      // Left by a process that was killed.
      await rm(join(this.name, unfinished), { recursive: true, force: true });
      await mkdir(join(this.name, unfinished), { mode: 0o700 });
      return await work(() => undefined);
    } finally {
      await rm(join(this.name, unfinished), { recursive: true, force: true });
      lock.release();
    }
  }

  close(): void {
    // Nothing is held open.
  }
}

export const lockName = 'backup.lock';

function lockOf(folder: string): { release(): void } {
  try {
    return lockDataFolder(folder, { name: lockName });
  } catch (error) {
    if (error instanceof DataFolderTaken) throw inUse(folder, 'wait for its end.');
    throw error;
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
  return undefined;
}
