import type { Kysely } from 'kysely';

/** The headers of an answer that is kept for a repetition; without a value there were none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('idempotency_keys').addColumn('headers', 'text').execute();
}
