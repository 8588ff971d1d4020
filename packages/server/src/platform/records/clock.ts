import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Reader, Records, Transaction } from './records.ts';

/** Epoch milliseconds by PostgreSQL's clock, within a statement. */
export const databaseNowText = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
export const databaseNow: RawBuilder<number> = sql<number>`${sql.raw(databaseNowText)}`;

/** Epoch milliseconds by the one clock that all processes of a store share: what is to begin at a time is compared with it. */
export function sharedNow(dialect: Records['dialect']): RawBuilder<number> {
  return dialect === 'postgres' ? databaseNow : sql<number>`${Date.now()}`;
}

/** Now, by that clock: for what cannot be taken back, and must not come early because the clock of one machine is wrong. */
export async function readSharedNow(dialect: Records['dialect'], on: Reader | Transaction): Promise<number> {
  if (dialect === 'sqlite') return Date.now();
  const { rows } = await sql<{ now: number }>`select ${databaseNow} as now`.execute(on);
  const [row] = rows;
  if (!row) throw new Error('The database does not report its time.');
  return row.now;
}

/** Clock of leases. On SQLite one process holds all leases: it uses a monotonic clock, which ignores changes of the system time. */
export function leaseNow(dialect: Records['dialect']): RawBuilder<number> {
  return dialect === 'postgres'
    ? databaseNow
    : sql<number>`${Math.round(performance.timeOrigin + performance.now())}`;
}
