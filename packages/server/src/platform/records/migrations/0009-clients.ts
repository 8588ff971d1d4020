import type { Kysely } from 'kysely';
import { orderedText } from '../columns.ts';

/** OAuth clients of accounts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('clients')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('name', orderedText(db), (c) => c.notNull())
    .addColumn('secret_hash', orderedText(db))
    .addColumn('settings', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('clients_account').on('clients').columns(['account_id', 'id']).execute();
}
