import { type Kysely, sql } from 'kysely';

/** Finds the uploads in parts of a user in a project that are not complete: the page of files lists them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index uploads_open on uploads (project_id, owner_id, id)
    where completed_at is null and parts_size is not null`.execute(db);
}
