import { type Kysely, sql } from 'kysely';

/** Adds schedules to saved queries: when each runs, what for, and how the last run began. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['cron text', 'at bigint', 'format text', 'query_id text', 'error text'])
    await sql.raw(`alter table saved_queries add column schedule_${column}`).execute(db);
  await sql`create index saved_queries_due on saved_queries (schedule_at)
    where schedule_at is not null`.execute(db);
}
