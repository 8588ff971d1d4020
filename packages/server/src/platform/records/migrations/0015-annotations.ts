import type { Kysely } from 'kysely';
import { orderedText } from '../columns.ts';

/** Segments of `variant` once more, with what annotations say of their alleles. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('annotated_segments')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('project_id', orderedText(db), (c) => c.notNull())
    .addColumn('segment_key', orderedText(db), (c) => c.notNull())
    .addColumn('annotations', orderedText(db), (c) => c.notNull())
    .addColumn('blob_key', orderedText(db), (c) => c.notNull())
    .addColumn('row_count', 'bigint', (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('sha256', orderedText(db), (c) => c.notNull())
    .addColumn('retired_at', 'bigint')
    .execute();
  for (const column of ['project_id', 'blob_key'])
    await db.schema
      .createIndex(`annotated_segments_${column}`)
      .on('annotated_segments')
      .column(column)
      .execute();
}
