import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { orderedText, sequenceKey } from '../columns.ts';

/** The durable queue and the notice board of the processes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('jobs')
    .addColumn('seq', sequenceKey(db))
    .addColumn('id', 'text', (c) => c.notNull().unique())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('attempts_max', 'integer', (c) => c.notNull())
    .addColumn('queue_key', orderedText(db), (c) => c.notNull())
    .addColumn('queue_max', 'integer')
    .addColumn('not_before', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('owner', 'text')
    .addColumn('lease', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('failure', 'text')
    .execute();
  // Partial indexes: what waits and what runs is few, what has ended is many.
  await sql`create index jobs_queued on jobs (kind, queue_key, seq) where state = 'queued'`.execute(db);
  await sql`create index jobs_running on jobs (queue_key) where state = 'running'`.execute(db);
  await sql`create unique index jobs_lease on jobs (lease) where lease is not null`.execute(db);
  await sql`create index jobs_ended on jobs (ended_at) where ended_at is not null`.execute(db);

  await db.schema
    .createTable('changes')
    .addColumn('seq', sequenceKey(db))
    .addColumn('topic', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('changes_at').on('changes').column('at').execute();
}
