import { type Kysely, sql } from 'kysely';

/** When the patients of a cohort were last looked for: one without a query has no part that says it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('cohorts')
    .addColumn('counted_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update cohorts set counted_at = created_at`.execute(db);
}
