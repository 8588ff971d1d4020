import type { Kysely } from 'kysely';
import { PostgresAdapter } from 'kysely';

/** True when `db` is PostgreSQL. */
export function onPostgres(db: Pick<Kysely<unknown>, 'getExecutor'>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * Splits the DDL of a migration into statements for the store of `db`. DDL is written for SQLite: timestamps are epoch
 * milliseconds in `bigint`, flags 0 or 1, documents `text`. On PostgreSQL text sorts by code point as well, and
 * `integer primary key autoincrement` becomes an identity: a key that counts up and is never given twice.
 */
export function statementsOf(db: Kysely<unknown>, ddl: string): string[] {
  const text = onPostgres(db)
    ? ddl
        .replaceAll(/ text\b/g, ' text collate "C"')
        .replaceAll(/integer primary key autoincrement/g, 'bigint generated always as identity primary key')
    : ddl;
  return text.split(/;\n/).filter((statement) => statement.trim() !== '');
}
