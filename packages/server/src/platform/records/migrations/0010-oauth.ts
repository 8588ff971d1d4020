import type { Kysely } from 'kysely';
import { orderedText } from '../columns.ts';

/** Sessions of browsers, what clients were granted, and the keys that sign tokens. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sessions(db);
  await db.schema.alterTable('users').addColumn('email_verified_at', 'bigint').execute();
  await grants(db);
  await db.schema
    .createTable('token_keys')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('algorithm', orderedText(db), (c) => c.notNull())
    .addColumn('public_key', orderedText(db), (c) => c.notNull())
    .addColumn('private_key_sealed', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('used_from', 'bigint', (c) => c.notNull())
    .execute();
  // One key an algorithm and moment: two processes that rotate at once end with the same one.
  await db.schema
    .createIndex('token_keys_use')
    .on('token_keys')
    .columns(['algorithm', 'used_from'])
    .unique()
    .execute();
}

async function sessions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sessions')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('token_hash', orderedText(db), (c) => c.notNull().unique())
    .addColumn('user_id', orderedText(db), (c) => c.notNull())
    .addColumn('only_account', orderedText(db))
    .addColumn('methods', orderedText(db), (c) => c.notNull())
    .addColumn('user_agent', orderedText(db), (c) => c.notNull())
    .addColumn('address', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('authenticated_at', 'bigint', (c) => c.notNull())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .execute();
  await db.schema.createIndex('sessions_user').on('sessions').columns(['user_id', 'id']).execute();
  await db.schema.createIndex('sessions_expiry').on('sessions').column('expires_at').execute();
}

async function grants(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('grants')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('client_id', orderedText(db), (c) => c.notNull())
    .addColumn('user_id', orderedText(db), (c) => c.notNull())
    .addColumn('session_id', orderedText(db))
    .addColumn('only_account', orderedText(db))
    .addColumn('flow', orderedText(db), (c) => c.notNull())
    .addColumn('scope', orderedText(db), (c) => c.notNull())
    .addColumn('nonce', orderedText(db))
    .addColumn('methods', orderedText(db), (c) => c.notNull())
    .addColumn('authenticated_at', 'bigint', (c) => c.notNull())
    .addColumn('code_hash', orderedText(db), (c) => c.unique())
    .addColumn('code_redirect_uri', orderedText(db))
    .addColumn('code_challenge', orderedText(db))
    .addColumn('code_expires_at', 'bigint')
    .addColumn('code_used_at', 'bigint')
    .addColumn('refresh_number', 'bigint', (c) => c.notNull())
    .addColumn('refreshed_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute();
  await db.schema.createIndex('grants_user').on('grants').columns(['user_id', 'id']).execute();
  await db.schema.createIndex('grants_client').on('grants').column('client_id').execute();
  await db.schema.createIndex('grants_session').on('grants').column('session_id').execute();
  await db.schema.createIndex('grants_expiry').on('grants').column('expires_at').execute();
}
