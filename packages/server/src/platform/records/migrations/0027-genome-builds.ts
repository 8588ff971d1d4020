import type { Kysely } from 'kysely';

/** What the positions of rows are on: annotations of one build must not fill variants of another. Of what is there already it is not known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('segments').addColumn('genome_build', 'text').execute();
  await db.schema.alterTable('ingestions').addColumn('genome_build', 'text').execute();
}
