import { type Kysely, sql } from 'kysely';

/** Finds the jobs of an account by kind and state: the health page counts them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index jobs_account on jobs (account_id, kind, state)`.execute(db);
}
