import { type Kysely, sql } from 'kysely';

const steps = [
  "alter table readgroup_sets add column format text not null default 'BAM'",
  'alter table readgroup_sets rename column bam_blob to reads_blob',
  'alter table readgroup_sets rename column bam_size to reads_size',
  'alter table readgroup_sets rename column bam_sha256 to reads_sha256',
];

/** Lets read group sets be of CRAM files. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const step of steps) await sql.raw(step).execute(db);
}
