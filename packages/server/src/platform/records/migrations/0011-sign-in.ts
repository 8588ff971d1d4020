import type { Kysely } from 'kysely';
import { orderedText } from '../columns.ts';

/** How long who has to wait after wrong passwords, and second factors with their recovery codes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sign_in_delays')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('failures', 'bigint', (c) => c.notNull())
    .addColumn('failed_at', 'bigint', (c) => c.notNull())
    .addColumn('open_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('sign_in_delays_age').on('sign_in_delays').column('failed_at').execute();
  await db.schema
    .createTable('second_factors')
    .addColumn('user_id', orderedText(db), (c) => c.primaryKey())
    .addColumn('secret_sealed', orderedText(db), (c) => c.notNull())
    .addColumn('used_step', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('recovery_codes')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('user_id', orderedText(db), (c) => c.notNull())
    .addColumn('used_at', 'bigint')
    .execute();
  await db.schema.createIndex('recovery_codes_user').on('recovery_codes').column('user_id').execute();
}
