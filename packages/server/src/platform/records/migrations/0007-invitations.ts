import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { orderedText } from '../columns.ts';

/** Invitations and their mails; one-time tokens are about more than users. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('one_time_tokens').renameColumn('user_id', 'subject_id').execute();
  await db.schema.createIndex('one_time_tokens_subject').on('one_time_tokens').column('subject_id').execute();
  await db.schema
    .createTable('invitations')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('group_id', orderedText(db), (c) => c.notNull())
    .addColumn('email', orderedText(db), (c) => c.notNull())
    .addColumn('inviter_id', orderedText(db), (c) => c.notNull())
    .addColumn('status', orderedText(db), (c) => c.notNull())
    .addColumn('mail_number', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .execute();
  await sql`create unique index invitations_awaiting on invitations (group_id, email) where status = 'AWAITING'`.execute(
    db,
  );
  await db.schema.createIndex('invitations_email').on('invitations').columns(['email', 'id']).execute();
  await db.schema
    .createIndex('invitations_account')
    .on('invitations')
    .columns(['account_id', 'id'])
    .execute();
  await db.schema.createIndex('invitations_group').on('invitations').column('group_id').execute();
  await db.schema
    .createTable('invitation_mails')
    .addColumn('invitation_id', orderedText(db), (c) => c.notNull())
    .addColumn('number', 'bigint', (c) => c.notNull())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('sender_id', orderedText(db), (c) => c.notNull())
    .addColumn('state', orderedText(db), (c) => c.notNull())
    .addColumn('attempts', 'bigint', (c) => c.notNull())
    .addColumn('error', orderedText(db))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('invitation_mails_key', ['invitation_id', 'number'])
    .execute();
  for (const column of ['account_id', 'sender_id']) {
    await db.schema
      .createIndex(`invitation_mails_${column}`)
      .on('invitation_mails')
      .columns([column, 'created_at'])
      .execute();
  }
}
