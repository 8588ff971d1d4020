import { type Kysely, sql } from 'kysely';

/** Lets a later step name the oldest step whose processes work beside it. NULL: all processes stop. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table schema_migrations add column beside text`.execute(db);
}
