import type { Readable } from 'node:stream';
import { AdminError } from '../../base/admin-error.ts';
import type { FileInfo } from './row-file.ts';

/** A file of a store of backups. */
export interface StoredFile {
  /** Relative to the store, with slashes. */
  path: string;
  /** Bytes. */
  size: number;
}

/** Place of backups: a folder, or a prefix of an S3-compatible store. Paths are relative, with slashes. */
export interface BackupStore {
  /** Place as the operator named it. */
  readonly name: string;
  /**
   * Writes a file, which is whole and durable afterwards. Returns `undefined` and leaves nothing if `accepts` rejects its
   * size and hash.
   */
  write(path: string, source: Readable, accepts?: (info: FileInfo) => boolean): Promise<FileInfo | undefined>;
  /** Reads a file; `undefined` if it is absent. */
  read(path: string): Promise<Readable | undefined>;
  /** Yields the files below a folder, whose path ends with a slash. */
  list(folder: string): AsyncIterable<StoredFile>;
  /** Removes a file, if it is there. */
  remove(path: string): Promise<void>;
  /**
   * Runs work that adds or removes files. Refuses it while other such work runs in this store. `requireTurn` throws when this
   * process no longer holds the store.
   */
  alone<T>(work: (requireTurn: () => void) => Promise<T>): Promise<T>;
  close(): void;
}

/** Returns the refusal of a store that is in use. */
export function inUse(name: string, remedy: string): AdminError {
  return new AdminError(`Another backup or prune is at work in ${name}: ${remedy}`);
}
