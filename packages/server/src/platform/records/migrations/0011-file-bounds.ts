import { type Kysely, sql } from 'kysely';

/**
 * Values that the columns of a lake file may have, and what a waiting query restricts. Files without bounds
 * may hold anything; merges add them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table segments add column bounds text`.execute(db);
  await sql`alter table lake_files add column bounds text`.execute(db);
  await sql`alter table lake_files add column chromosome text`.execute(db);
  await sql`alter table queries add column conditions text`.execute(db);
  await sql`alter table trino_statements add column conditions text`.execute(db);
}
