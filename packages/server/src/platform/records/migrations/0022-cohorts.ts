import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { orderedText } from '../columns.ts';

/** Cohorts, and since when the data of a lake are the same. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('cohorts')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('project_id', orderedText(db), (c) => c.notNull())
    .addColumn('name', orderedText(db), (c) => c.notNull())
    .addColumn('name_key', orderedText(db), (c) => c.notNull())
    .addColumn('description', orderedText(db), (c) => c.notNull())
    .addColumn('queries', 'text', (c) => c.notNull())
    .addColumn('subject_ids', 'text', (c) => c.notNull())
    .addColumn('creator_id', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('cohorts_project')
    .on('cohorts')
    .columns(['project_id', 'name_key', 'id'])
    .execute();
  await db.schema.createIndex('cohorts_account').on('cohorts').column('account_id').execute();
  await db.schema
    .createTable('cohort_parts')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('cohort_id', orderedText(db), (c) => c.notNull())
    .addColumn('project_id', orderedText(db), (c) => c.notNull())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('data_version', 'bigint', (c) => c.notNull())
    .addColumn('member_count', 'bigint', (c) => c.notNull())
    .addColumn('counted_at', 'bigint', (c) => c.notNull())
    .addColumn('error', 'text')
    .addUniqueConstraint('cohort_parts_project', ['cohort_id', 'project_id'])
    .execute();
  await db.schema.createIndex('cohort_parts_of').on('cohort_parts').column('project_id').execute();
  await db.schema.createIndex('cohort_parts_account').on('cohort_parts').column('account_id').execute();
  await db.schema
    .alterTable('lakes')
    .addColumn('data_version', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update lakes set data_version = version`.execute(db);
}
