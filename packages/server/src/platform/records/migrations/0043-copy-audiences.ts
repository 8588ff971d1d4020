import { type Kysely, sql } from 'kysely';

/** Names the readers of each copy of a table; all copies that exist are for readers of all rows as they are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table lake_copies add column audience text not null default ''`.execute(db);
}
