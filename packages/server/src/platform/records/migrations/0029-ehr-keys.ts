import type { Kysely } from 'kysely';

/** The public half of the key with which an EHR configuration signs in, so that showing it opens no secret; and when it was replaced. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('ehrs').addColumn('public_key', 'text').execute();
  await db.schema.alterTable('ehrs').addColumn('key_replaced_at', 'bigint').execute();
}
