import { type Kysely, sql } from 'kysely';
import { createBlobTriggersOf } from './initial/blob-triggers.ts';

/** Columns of this step whose rows own a blob, with their tables. */
export const packedBlobColumns = [['variant_indexes', 'packed_blob']] as const;

/** Keeps the bytes of a VCF in blocks beside its index, where the file itself has none. NULL: the file is served as it is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table variant_indexes add column packed_blob text`.execute(db);
  await sql`alter table variant_indexes add column packed_size bigint`.execute(db);
  await sql`alter table variant_indexes add column packed_sha256 text`.execute(db);
  await sql`create index variant_indexes_packed_blob on variant_indexes (packed_blob)`.execute(db);
  await createBlobTriggersOf(db, packedBlobColumns);
}
