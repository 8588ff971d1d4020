import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { requireCommits } from './lost-commits.ts';

/** Maximum time that a statement waits for the lock of another process. */
export const busyTimeoutMs = 5000;

/**
 * Creates an empty file for its owner only. One that is there is not even opened: closing it again would drop the locks that
 * this process holds on it (https://www.sqlite.org/howtocorrupt.html §2.2).
 */
export function createPrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/** Writing connection. Creates the file, readable by its owner only (SQLite creates its journal with the same mode). */
export function openWriter(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  createPrivate(path);
  requireCommits(path);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  // A commit is on the disk when it returns (fullfsync: on macOS too), https://www.sqlite.org/pragma.html#pragma_synchronous
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma fullfsync = on;
    pragma checkpoint_fullfsync = on;
    pragma journal_size_limit = 67108864;
    pragma temp_store = memory;
    pragma trusted_schema = off;
  `);
  return database;
}

/** Returns the connection that reads: it sees every commit at once and cannot write. */
export function openReader(path: string): DatabaseSync {
  requireCommits(path);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, readOnly: true });
  database.exec('pragma query_only = on; pragma temp_store = memory; pragma trusted_schema = off;');
  return database;
}
