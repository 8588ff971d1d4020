import { type Kysely, sql } from 'kysely';

/** Lets what users save under a name be a report as well as a statement. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table saved_queries add column kind text not null default 'query'`.execute(db);
  await sql`drop index saved_queries_project`.execute(db);
  await sql`create index saved_queries_project on saved_queries (project_id, kind, name_key, id)`.execute(db);
}
