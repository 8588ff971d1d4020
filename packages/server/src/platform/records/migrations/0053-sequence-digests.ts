import { type Kysely, sql } from 'kysely';

/** Digest by which refget names a sequence (`ga4gh:SQ.…`); null for references that were ingested before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table genome_references add column sha512t24u text`.execute(db);
  await sql`create index genome_references_sha512t24u on genome_references (sha512t24u, set_id, position)`.execute(
    db,
  );
}
