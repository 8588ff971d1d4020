import type { Kysely } from 'kysely';
import { orderedText } from '../columns.ts';

/** People, accounts, access, keys, audit. Timestamps are epoch milliseconds, flags 0 or 1, documents JSON text. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await people(db);
  await access(db);
  await keys(db);
  await audit(db);
  await db.schema
    .createTable('idempotency_keys')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('body_hash', orderedText(db), (c) => c.notNull())
    .addColumn('state', orderedText(db), (c) => c.notNull())
    .addColumn('status', 'bigint')
    .addColumn('body', orderedText(db))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
}

async function people(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('email', orderedText(db), (c) => c.notNull().unique())
    .addColumn('type', orderedText(db), (c) => c.notNull())
    .addColumn('profile', orderedText(db), (c) => c.notNull())
    .addColumn('password_hash', orderedText(db))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('accounts')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('name', orderedText(db), (c) => c.notNull())
    .addColumn('type', orderedText(db), (c) => c.notNull())
    .addColumn('owner_id', orderedText(db), (c) => c.notNull())
    .addColumn('deletion_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('accounts_owner').on('accounts').column('owner_id').execute();
  await db.schema
    .createTable('projects')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('name', orderedText(db), (c) => c.notNull())
    .addColumn('name_key', orderedText(db), (c) => c.notNull())
    .addColumn('description', orderedText(db), (c) => c.notNull())
    .addColumn('deletion_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('projects_name')
    .on('projects')
    .columns(['account_id', 'name_key'])
    .unique()
    .execute();
}

async function access(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('groups')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('name', orderedText(db), (c) => c.notNull())
    .addColumn('name_key', orderedText(db), (c) => c.notNull())
    .addColumn('description', orderedText(db), (c) => c.notNull())
    .addColumn('type', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('groups_name')
    .on('groups')
    .columns(['account_id', 'name_key'])
    .unique()
    .execute();
  await db.schema
    .createTable('group_members')
    .addColumn('group_id', orderedText(db), (c) => c.notNull())
    .addColumn('user_id', orderedText(db), (c) => c.notNull())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('added_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('group_members_key', ['group_id', 'user_id'])
    .execute();
  await db.schema
    .createIndex('group_members_user')
    .on('group_members')
    .columns(['user_id', 'account_id'])
    .execute();
  await db.schema
    .createTable('policies')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('name', orderedText(db), (c) => c.notNull())
    .addColumn('document', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('policies_name')
    .on('policies')
    .columns(['account_id', 'name'])
    .unique()
    .execute();
}

async function keys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('api_keys')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('user_id', orderedText(db), (c) => c.notNull())
    .addColumn('name', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('api_keys_user')
    .on('api_keys')
    .columns(['account_id', 'user_id', 'id'])
    .execute();
  await db.schema
    .createTable('signing_keys')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('purpose', orderedText(db), (c) => c.notNull().unique())
    .addColumn('algorithm', orderedText(db), (c) => c.notNull())
    .addColumn('public_key', orderedText(db), (c) => c.notNull())
    .addColumn('private_key_sealed', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('one_time_tokens')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('purpose', orderedText(db), (c) => c.notNull())
    .addColumn('user_id', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('used_at', 'bigint')
    .execute();
}

async function audit(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit_events')
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('sequence', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('user_id', orderedText(db))
    .addColumn('via', orderedText(db), (c) => c.notNull())
    .addColumn('action', orderedText(db), (c) => c.notNull())
    .addColumn('resource_type', orderedText(db), (c) => c.notNull())
    .addColumn('resource_id', orderedText(db), (c) => c.notNull())
    .addColumn('project_id', orderedText(db))
    .addColumn('outcome', orderedText(db), (c) => c.notNull())
    .addColumn('details', orderedText(db), (c) => c.notNull())
    .addColumn('request_id', orderedText(db))
    .addColumn('previous_hash', orderedText(db), (c) => c.notNull())
    .addColumn('hash', orderedText(db), (c) => c.notNull())
    .addPrimaryKeyConstraint('audit_events_key', ['account_id', 'sequence'])
    .execute();
  await db.schema
    .createTable('audit_heads')
    .addColumn('account_id', orderedText(db), (c) => c.primaryKey())
    .addColumn('sequence', 'bigint', (c) => c.notNull())
    .addColumn('hash', orderedText(db), (c) => c.notNull())
    .execute();
}
