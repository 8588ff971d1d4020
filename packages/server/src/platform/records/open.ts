import { join } from 'node:path';
import { sql } from 'kysely';
import type { PlatformLog } from './log.ts';
import type { Migration } from './migrations/index.ts';
import { migrations } from './migrations/index.ts';
import { listenerName } from './postgres/listener.ts';
import { openPostgresRecords } from './postgres/postgres-records.ts';
import type { Records } from './records.ts';
import { openSqliteRecords } from './sqlite/sqlite-records.ts';

export interface RecordsSettings {
  /** The data folder; without a database URL the records are `records.sqlite` in it. */
  folder: string;
  /** `postgres://…`: the records are there instead. */
  databaseUrl?: string;
  /** PostgreSQL: most connections of this process, reads and writes together; one more listens. Default 20. */
  connectionsMax?: number;
  log: PlatformLog;
  /** Default: all steps of this version. */
  migrations?: Readonly<Record<string, Migration>>;
}

/** Opens the records, creating or bringing forward their schema. Refuses a store written by a newer version. */
export function openRecords(settings: RecordsSettings): Promise<Records> {
  const steps = settings.migrations ?? migrations;
  const { folder, databaseUrl, connectionsMax = 20, log } = settings;
  if (databaseUrl !== undefined && databaseUrl !== '') {
    return openPostgresRecords({ url: databaseUrl, connectionsMax, migrations: steps, log });
  }
  return openSqliteRecords({ path: join(folder, 'records.sqlite'), migrations: steps, log });
}

/**
 * Counts the processes that have these records open, this one included. On PostgreSQL each has one connection that listens for
 * changes; a folder with SQLite has one process (`lockDataFolder`).
 */
export async function countProcesses(records: Records): Promise<number> {
  if (records.dialect === 'sqlite') return 1;
  const { rows } = await sql<{ processes: string }>`
    select count(*) as processes from pg_stat_activity
    where datname = current_database() and application_name = ${listenerName}
  `.execute(records.read);
  return Number(rows[0]?.processes);
}
