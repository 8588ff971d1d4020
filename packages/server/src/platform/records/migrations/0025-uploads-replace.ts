import type { Kysely } from 'kysely';

/** Which file an upload may replace: not one that appeared under its id only afterwards. Uploads that are under way go on as they began. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('uploads')
    .addColumn('replaces', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
  await db.schema.alterTable('uploads').addColumn('made_blob', 'text').execute();
}
