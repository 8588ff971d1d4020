import type { Kysely } from 'kysely';
import { orderedText } from '../columns.ts';

/** Signing in through SAML: requests on their way, used assertions, who is who, metadata of providers, our keys. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await requests(db);
  await db.schema.alterTable('users').addColumn('email_claimed_by', orderedText(db)).execute();
  await db.schema
    .createTable('saml_assertions')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('saml_assertions_expiry').on('saml_assertions').column('expires_at').execute();
  await identities(db);
  await db.schema
    .createTable('saml_providers')
    .addColumn('client_id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('metadata_url', orderedText(db), (c) => c.notNull())
    .addColumn('document', orderedText(db))
    .addColumn('fetched_at', 'bigint')
    .addColumn('tried_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('saml_keys')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('certificate', orderedText(db), (c) => c.notNull())
    .addColumn('private_key_sealed', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    // One key a moment: two processes that rotate at once end with the same one.
    .addColumn('used_from', 'bigint', (c) => c.notNull().unique())
    .execute();
}

async function requests(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('saml_requests')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('client_id', orderedText(db), (c) => c.notNull())
    .addColumn('relay_hash', orderedText(db), (c) => c.notNull().unique())
    .addColumn('browser_hash', orderedText(db), (c) => c.notNull())
    .addColumn('query', orderedText(db), (c) => c.notNull())
    .addColumn('address', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('answered_at', 'bigint')
    .addColumn('answer_sealed', orderedText(db))
    .addColumn('handle_hash', orderedText(db), (c) => c.unique())
    .execute();
  await db.schema.createIndex('saml_requests_expiry').on('saml_requests').column('expires_at').execute();
  await db.schema
    .createIndex('saml_requests_address')
    .on('saml_requests')
    .columns(['address', 'expires_at'])
    .execute();
  await db.schema.createIndex('saml_requests_client').on('saml_requests').column('client_id').execute();
}

async function identities(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('saml_identities')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('entity_id', orderedText(db), (c) => c.notNull())
    .addColumn('subject', orderedText(db), (c) => c.notNull())
    .addColumn('user_id', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .execute();
  for (const column of ['user_id', 'account_id'])
    await db.schema.createIndex(`saml_identities_${column}`).on('saml_identities').column(column).execute();
}
