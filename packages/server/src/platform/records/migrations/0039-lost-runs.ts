import { type Kysely, sql } from 'kysely';

/** Counts the runs of a job that ended with their process, apart from its own attempts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column lost integer not null default 0`.execute(db);
}
