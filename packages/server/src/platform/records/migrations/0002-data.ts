import type { Kysely } from 'kysely';
import { orderedText } from '../columns.ts';

/** Files, ingestions, the catalogue of the lake, queries. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await files(db);
  await ingestions(db);
  await lake(db);
  await queries(db);
}

async function files(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('files')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('project_id', orderedText(db), (c) => c.notNull())
    .addColumn('name', orderedText(db), (c) => c.notNull())
    .addColumn('name_key', orderedText(db), (c) => c.notNull())
    .addColumn('content_type', orderedText(db), (c) => c.notNull())
    .addColumn('blob_key', orderedText(db), (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('sha256', orderedText(db), (c) => c.notNull())
    .addColumn('origin', orderedText(db), (c) => c.notNull())
    .addColumn('owner_id', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('modified_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('files_name').on('files').columns(['project_id', 'name']).unique().execute();
  await db.schema
    .createIndex('files_name_key')
    .on('files')
    .columns(['project_id', 'name_key', 'id'])
    .execute();
  await db.schema.createIndex('files_size').on('files').columns(['project_id', 'size', 'id']).execute();
  await db.schema
    .createIndex('files_account')
    .on('files')
    .columns(['account_id', 'name_key', 'id'])
    .execute();
  await db.schema.createIndex('files_blob').on('files').column('blob_key').execute();
  await db.schema
    .createTable('uploads')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('file_id', orderedText(db), (c) => c.notNull())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('project_id', orderedText(db), (c) => c.notNull())
    .addColumn('name', orderedText(db), (c) => c.notNull())
    .addColumn('content_type', orderedText(db), (c) => c.notNull())
    .addColumn('overwrite', 'bigint', (c) => c.notNull())
    .addColumn('content_md5', orderedText(db))
    .addColumn('size', 'bigint')
    .addColumn('ingest', 'bigint', (c) => c.notNull())
    .addColumn('owner_id', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('uploads_file').on('uploads').column('file_id').execute();
  await db.schema.createIndex('uploads_expiry').on('uploads').column('expires_at').execute();
}

async function ingestions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ingestions')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('project_id', orderedText(db), (c) => c.notNull())
    .addColumn('file_id', orderedText(db), (c) => c.notNull())
    .addColumn('file_name', orderedText(db), (c) => c.notNull())
    .addColumn('type', orderedText(db))
    .addColumn('options', orderedText(db), (c) => c.notNull())
    .addColumn('state', orderedText(db), (c) => c.notNull())
    .addColumn('bytes_done', 'bigint', (c) => c.notNull())
    .addColumn('bytes_total', 'bigint', (c) => c.notNull())
    .addColumn('rows', 'bigint', (c) => c.notNull())
    .addColumn('warning_count', 'bigint', (c) => c.notNull())
    .addColumn('warnings', orderedText(db), (c) => c.notNull())
    .addColumn('error', orderedText(db))
    .addColumn('user_id', orderedText(db), (c) => c.notNull())
    .addColumn('job_id', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .execute();
  await db.schema.createIndex('ingestions_project').on('ingestions').columns(['project_id', 'id']).execute();
  await db.schema.createIndex('ingestions_file').on('ingestions').column('file_id').execute();
}

async function lake(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('lakes')
    .addColumn('project_id', orderedText(db), (c) => c.primaryKey())
    .addColumn('version', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('lake_tables')
    .addColumn('project_id', orderedText(db), (c) => c.notNull())
    .addColumn('table_name', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('lake_tables_key', ['project_id', 'table_name'])
    .execute();
  await db.schema
    .createTable('segments')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('project_id', orderedText(db), (c) => c.notNull())
    .addColumn('table_name', orderedText(db), (c) => c.notNull())
    .addColumn('source_file_id', orderedText(db), (c) => c.notNull())
    .addColumn('ingestion_id', orderedText(db), (c) => c.notNull())
    .addColumn('blob_key', orderedText(db), (c) => c.notNull())
    .addColumn('row_count', 'bigint', (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('sha256', orderedText(db), (c) => c.notNull())
    .addColumn('added_version', 'bigint', (c) => c.notNull())
    .addColumn('removed_version', 'bigint')
    .addColumn('removed_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('segments_project')
    .on('segments')
    .columns(['project_id', 'table_name', 'id'])
    .execute();
  await db.schema.createIndex('segments_source').on('segments').column('source_file_id').execute();
  await db.schema.createIndex('segments_blob').on('segments').column('blob_key').execute();
}

async function queries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('queries')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('project_id', orderedText(db), (c) => c.notNull())
    .addColumn('user_id', orderedText(db), (c) => c.notNull())
    .addColumn('query_text', orderedText(db), (c) => c.notNull())
    .addColumn('statement', orderedText(db), (c) => c.notNull())
    .addColumn('tables', orderedText(db), (c) => c.notNull())
    .addColumn('state', orderedText(db), (c) => c.notNull())
    .addColumn('requested_name', orderedText(db), (c) => c.notNull())
    .addColumn('output_file_name', orderedText(db), (c) => c.notNull())
    .addColumn('masked', 'bigint', (c) => c.notNull())
    .addColumn('lake_version', 'bigint', (c) => c.notNull())
    .addColumn('progress', 'double precision', (c) => c.notNull())
    .addColumn('row_count', 'bigint')
    .addColumn('result_file_id', orderedText(db))
    .addColumn('error', orderedText(db))
    .addColumn('job_id', orderedText(db), (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .execute();
  await db.schema.createIndex('queries_project').on('queries').columns(['project_id', 'id']).execute();
  await db.schema.createIndex('queries_state').on('queries').columns(['project_id', 'state']).execute();
}
