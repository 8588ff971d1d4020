import type { Kysely } from 'kysely';
import { orderedText } from '../columns.ts';

/** Pictures, attributes of people in an account, and the names by which people are found. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('pictures')
    .addColumn('user_id', orderedText(db), (c) => c.primaryKey())
    .addColumn('id', orderedText(db), (c) => c.notNull().unique())
    .addColumn('blob_key', orderedText(db), (c) => c.notNull())
    .addColumn('content_type', orderedText(db), (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('sha256', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('pictures_blob').on('pictures').column('blob_key').execute();
  await db.schema
    .createTable('user_attributes')
    .addColumn('user_id', orderedText(db), (c) => c.notNull())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('document', orderedText(db), (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('user_attributes_key', ['user_id', 'account_id'])
    .execute();
  await db.schema.createIndex('user_attributes_account').on('user_attributes').column('account_id').execute();
  await db.schema
    .alterTable('users')
    .addColumn('name_keys', orderedText(db), (c) => c.notNull().defaultTo(''))
    .execute();
  await fillNameKeys(db as Kysely<Before>);
}

/** What this step reads and writes, as it is at this step. */
interface Before {
  users: { id: string; profile: string; name_keys: string };
}

/** The folding of names at the time of this step: a later one of the service brings a step of its own. */
async function fillNameKeys(db: Kysely<Before>): Promise<void> {
  for (const { id, profile } of await db.selectFrom('users').select(['id', 'profile']).execute()) {
    const { name, givenName, familyName, preferredUsername } = JSON.parse(profile) as Record<string, unknown>;
    const names = [name, givenName, familyName, preferredUsername].filter((one) => typeof one === 'string');
    const keys = [...new Set(names.map((one) => `\n${one.normalize('NFC').toLowerCase()}`))].join('');
    await db.updateTable('users').set({ name_keys: keys }).where('id', '=', id).execute();
  }
}
