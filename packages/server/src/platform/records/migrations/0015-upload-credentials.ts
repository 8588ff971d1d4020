import { type Kysely, sql } from 'kysely';

/** Credentials that began uploads. Uploads of earlier versions have none, and end with the right of their user alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table uploads add column via text`.execute(db);
}
