import { type Kysely, sql } from 'kysely';

/** Notes the last release of the service's annotations that a project had an event of: each has one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table lakes add column announced_release text`.execute(db);
}
