import { type Kysely, sql } from 'kysely';

/** Adds the rows and masks with which results were made. Those of earlier results are unknown. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table queries add column made_with text`.execute(db);
  await sql`alter table trino_statements add column made_with text`.execute(db);
}
