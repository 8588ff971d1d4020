import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { orderedText } from '../columns.ts';

/** Jobs share their turns by a second key too, and remember in which turn they ran. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('jobs')
    .addColumn('share_key', orderedText(db), (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema.alterTable('jobs').addColumn('share_max', 'integer').execute();
  await db.schema
    .alterTable('jobs')
    .addColumn('turn', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.dropIndex('jobs_queued').execute();
  await sql`create index jobs_queued on jobs (kind, queue_key, share_key, seq) where state = 'queued'`.execute(
    db,
  );
  await sql`create index jobs_running_share on jobs (share_key) where state = 'running'`.execute(db);
  // The last turn of a key, and of all: one look each.
  await sql`create index jobs_turn on jobs (kind, turn) where attempts > 0`.execute(db);
  await sql`create index jobs_turn_queue on jobs (queue_key, turn) where attempts > 0`.execute(db);
  await sql`create index jobs_turn_share on jobs (share_key, turn) where attempts > 0`.execute(db);
}
