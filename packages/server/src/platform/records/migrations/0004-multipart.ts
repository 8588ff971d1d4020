import type { Kysely } from 'kysely';
import { orderedText } from '../columns.ts';

/** Uploads in parts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('uploads').addColumn('parts_size', 'bigint').execute();
  await db.schema.alterTable('uploads').addColumn('completed_at', 'bigint').execute();
  await db.schema
    .createTable('upload_parts')
    .addColumn('upload_id', orderedText(db), (c) => c.notNull())
    .addColumn('project_id', orderedText(db), (c) => c.notNull())
    .addColumn('number', 'bigint', (c) => c.notNull())
    .addColumn('blob_key', orderedText(db), (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('upload_parts_key', ['upload_id', 'number'])
    .execute();
  await db.schema.createIndex('upload_parts_project').on('upload_parts').column('project_id').execute();
  await db.schema.createIndex('upload_parts_blob').on('upload_parts').column('blob_key').execute();
}
