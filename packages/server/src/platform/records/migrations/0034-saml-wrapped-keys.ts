import type { Kysely } from 'kysely';
import { orderedText } from '../columns.ts';

/** Keys that have come wrapped and opened AES-CBC: none does so twice. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('saml_wrapped_keys')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('used_at', 'bigint', (c) => c.notNull())
    .execute();
}
