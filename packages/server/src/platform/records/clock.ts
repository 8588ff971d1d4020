import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Records } from './records.ts';

/** Epoch milliseconds by PostgreSQL's clock, within a statement. */
export const databaseNowText = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
export const databaseNow: RawBuilder<number> = sql<number>`${sql.raw(databaseNowText)}`;

/** Epoch milliseconds by the one clock that all processes of a store share: leases are compared with it. */
export function sharedNow(dialect: Records['dialect']): RawBuilder<number> {
  return dialect === 'postgres' ? databaseNow : sql<number>`${Date.now()}`;
}
