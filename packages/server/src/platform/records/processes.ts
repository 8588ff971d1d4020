import { sql } from 'kysely';
import { listenerName } from './postgres/listener.ts';
import type { Records } from './records.ts';

/**
 * How many processes have these records open, this one included. On PostgreSQL each hears of changes on one connection of its
 * own; a folder with SQLite has one (`lockDataFolder`).
 */
export async function countProcesses(records: Records): Promise<number> {
  if (records.dialect === 'sqlite') return 1;
  const { rows } = await sql<{ processes: string }>`
    select count(*) as processes from pg_stat_activity
    where datname = current_database() and application_name = ${listenerName}
  `.execute(records.read);
  return Number(rows[0]?.processes);
}
