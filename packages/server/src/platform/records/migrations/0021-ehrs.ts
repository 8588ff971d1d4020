import type { Kysely } from 'kysely';
import { orderedText } from '../columns.ts';

/** EHR systems of accounts, the syncs that pulled from them, and the pages that a sync holds until it is whole. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ehrs')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('ehr_type', 'text', (c) => c.notNull())
    .addColumn('api_base_url', 'text', (c) => c.notNull())
    .addColumn('api_key_sealed', 'text')
    .addColumn('api_secret_sealed', 'text')
    .addColumn('api_auth_type', 'text', (c) => c.notNull())
    .addColumn('ingestion_model', 'text', (c) => c.notNull())
    .addColumn('delay_between_records_ms', 'double precision', (c) => c.notNull())
    .addColumn('schedule_cron', 'text')
    .addColumn('schedule_project_id', orderedText(db))
    .addColumn('schedule_user_id', orderedText(db))
    .addColumn('schedule_at', 'bigint')
    .addColumn('creator_id', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('ehrs_account').on('ehrs').columns(['account_id', 'id']).execute();
  await db.schema.createIndex('ehrs_due').on('ehrs').column('schedule_at').execute();
  await syncs(db);
  await db.schema
    .createTable('ehr_sync_pages')
    .addColumn('sync_id', orderedText(db), (c) => c.notNull())
    .addColumn('project_id', orderedText(db), (c) => c.notNull())
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('level', 'integer', (c) => c.notNull())
    .addColumn('blob_key', orderedText(db), (c) => c.notNull().unique())
    .addPrimaryKeyConstraint('ehr_sync_pages_key', ['sync_id', 'number'])
    .execute();
  await db.schema.createIndex('ehr_sync_pages_project').on('ehr_sync_pages').column('project_id').execute();
}

async function syncs(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ehr_syncs')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('ehr_id', orderedText(db), (c) => c.notNull())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('project_id', orderedText(db), (c) => c.notNull())
    .addColumn('user_id', orderedText(db), (c) => c.notNull())
    .addColumn('started_by', 'text', (c) => c.notNull())
    .addColumn('api_base_url', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('method', 'text')
    .addColumn('since', 'bigint')
    .addColumn('mark', 'bigint')
    .addColumn('position', 'text')
    .addColumn('requests', 'bigint', (c) => c.notNull())
    .addColumn('pages', 'bigint', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('counts', 'text', (c) => c.notNull())
    .addColumn('warning_count', 'bigint', (c) => c.notNull())
    .addColumn('warnings', 'text', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('file_id', orderedText(db))
    .addColumn('ingestion_id', orderedText(db))
    .addColumn('job_id', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .execute();
  await db.schema.createIndex('ehr_syncs_ehr').on('ehr_syncs').columns(['ehr_id', 'id']).execute();
  await db.schema.createIndex('ehr_syncs_project').on('ehr_syncs').column('project_id').execute();
}
