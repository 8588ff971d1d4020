import { type Kysely, sql } from 'kysely';

/** Pauses the filling of a lake's variants, and notes the gene models that an ingestion used. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table lakes add column filling_paused_at bigint`.execute(db);
  await sql`alter table ingestions add column gene_models text`.execute(db);
}
