import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { orderedText } from '../columns.ts';

/** A Parquet file may hold the rows of several ingestions: each keeps its segment, and all name one blob. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('segments')
    .addColumn('ordinal', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update segments set ordinal = added_version`.execute(db);
  await db.schema.alterTable('segments').addColumn('file_rows', 'bigint').execute();
  await sql`create index segments_removed on segments (removed_at) where removed_at is not null`.execute(db);
  await db.schema
    .alterTable('lakes')
    .addColumn('compacted_version', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('lakes').addColumn('compaction_job_id', orderedText(db)).execute();
}
