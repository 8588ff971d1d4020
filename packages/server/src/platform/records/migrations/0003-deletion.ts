import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { orderedText } from '../columns.ts';

/** What is being removed and which accounts were; the audit chains of removed accounts are closed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('removals')
    .addColumn('kind', orderedText(db), (c) => c.notNull())
    .addColumn('id', orderedText(db), (c) => c.notNull())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('state', orderedText(db), (c) => c.notNull())
    .addColumn('counts', orderedText(db), (c) => c.notNull())
    .addColumn('begun_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addPrimaryKeyConstraint('removals_key', ['kind', 'id'])
    .execute();
  await db.schema.createIndex('removals_account').on('removals').columns(['account_id', 'state']).execute();
  await db.schema.alterTable('audit_heads').addColumn('closed_at', 'bigint').execute();
  // A removal asks by these.
  await db.schema.createIndex('uploads_project').on('uploads').column('project_id').execute();
  await db.schema
    .createIndex('group_members_account')
    .on('group_members')
    .columns(['account_id', 'user_id'])
    .execute();
  // Few wait for their removal, and these are looked for every minute.
  await sql`create index projects_deletion on projects (deletion_at) where deletion_at is not null`.execute(
    db,
  );
  await sql`create index accounts_deletion on accounts (deletion_at) where deletion_at is not null`.execute(
    db,
  );
}
