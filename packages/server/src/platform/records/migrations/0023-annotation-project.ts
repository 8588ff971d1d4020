import type { Kysely } from 'kysely';

/** From which annotations of the service a cohort was counted: it is counted again when there are others. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('cohort_parts')
    .addColumn('annotations', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
}
