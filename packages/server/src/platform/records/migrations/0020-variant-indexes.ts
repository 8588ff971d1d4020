import type { Kysely } from 'kysely';
import { orderedText } from '../columns.ts';

/** Indexes of VCF files, so that regions of them can be read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('variant_indexes')
    .addColumn('file_id', orderedText(db), (c) => c.primaryKey())
    .addColumn('project_id', orderedText(db), (c) => c.notNull())
    .addColumn('source_blob', orderedText(db), (c) => c.notNull())
    .addColumn('status', orderedText(db), (c) => c.notNull())
    .addColumn('message', orderedText(db))
    .addColumn('job_id', orderedText(db), (c) => c.notNull())
    .addColumn('index_blob', orderedText(db))
    .addColumn('index_size', 'bigint')
    .addColumn('index_sha256', orderedText(db))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  for (const column of ['project_id', 'index_blob'])
    await db.schema.createIndex(`variant_indexes_${column}`).on('variant_indexes').column(column).execute();
}
