import { type Kysely, sql } from 'kysely';

/** Patient to whom the tokens of a SMART app are limited. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table grants add column patient text`.execute(db);
}
