import type { Expression, Kysely } from 'kysely';
import { PostgresAdapter, sql } from 'kysely';

/**
 * Column types for migrations that serve both stores. Timestamps are epoch milliseconds in `bigint`, flags 0 or 1 in
 * `integer`, documents `text`.
 */

/** True when `db` is PostgreSQL. */
export function onPostgres(db: Pick<Kysely<unknown>, 'getExecutor'>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** Text that sorts by code point on both stores: for every text column that a list is ordered or paged by. */
export function orderedText(db: Kysely<unknown>): Expression<string> {
  return onPostgres(db) ? sql`text collate "C"` : sql`text`;
}

/** A primary key that counts up and is never given twice, not even after a deletion. Needs no further modifier. */
export function sequenceKey(db: Kysely<unknown>): Expression<number> {
  return onPostgres(db)
    ? sql`bigint generated always as identity primary key`
    : sql`integer primary key autoincrement`;
}
