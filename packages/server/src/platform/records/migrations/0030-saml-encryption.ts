import { type Kysely, sql } from 'kysely';
import { orderedText } from '../columns.ts';

/** What a key of SAML is for: those of before sign. SQLite cannot take back that a column is unique, so the table is made anew. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('saml_keys').renameTo('saml_keys_before').execute();
  await db.schema
    .createTable('saml_keys')
    .addColumn('id', orderedText(db), (c) => c.notNull())
    .addColumn('use', orderedText(db), (c) => c.notNull())
    .addColumn('certificate', orderedText(db), (c) => c.notNull())
    .addColumn('private_key_sealed', orderedText(db), (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('used_from', 'bigint', (c) => c.notNull())
    // The name of the old table's key is taken on PostgreSQL until that table is gone.
    .addPrimaryKeyConstraint('saml_keys_by_id', ['id'])
    // One key a moment for each use: two processes that rotate at once end with the same one.
    .addUniqueConstraint('saml_keys_by_use', ['use', 'used_from'])
    .execute();
  await sql`
    insert into saml_keys (id, "use", certificate, private_key_sealed, created_at, used_from)
    select id, 'signing', certificate, private_key_sealed, created_at, used_from from saml_keys_before
  `.execute(db);
  await db.schema.dropTable('saml_keys_before').execute();
}
