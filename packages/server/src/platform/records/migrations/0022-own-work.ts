import { type Kysely, sql } from 'kysely';

/** Finds the work of a user, and what has not ended, in all projects of an account, the newest first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index queries_mine on queries (account_id, user_id, id)`.execute(db);
  await sql`create index ingestions_mine on ingestions (account_id, user_id, id)`.execute(db);
  await sql`create index queries_account_state on queries (account_id, state, id)`.execute(db);
  await sql`
    create index ingestions_account_open on ingestions (account_id, id)
    where state in ('queued', 'running')`.execute(db);
  await sql`create index cohorts_mine on cohorts (account_id, creator_id, id)`.execute(db);
}
