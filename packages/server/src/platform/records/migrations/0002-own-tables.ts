import { type Kysely, sql } from 'kysely';

/** Adds the definitions of the tables that projects define themselves. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table segments add column own_columns text').execute(db);
  await sql
    .raw('create index segments_own on segments (project_id, table_name) where own_columns is not null')
    .execute(db);
}
