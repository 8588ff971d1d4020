import type { Kysely } from 'kysely';

/** Who these records are, for the store of bytes that is theirs. One row, made when it is first asked for: a backup brings its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('identity')
    .addColumn('only', 'integer', (c) => c.primaryKey())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('store_marked', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
