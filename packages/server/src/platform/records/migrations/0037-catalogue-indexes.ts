import { type Kysely, sql } from 'kysely';

/**
 * The catalogue of the lake is read by what is visible and swept by what is due and what runs, so that neither its backlog nor the history of queries
 * makes that slower. In `segments_visible` stands all that counting rows and files takes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const index of [
    sql`create index segments_visible on segments
      (project_id, table_name, blob_key, genome_build, file_rows, row_count, removed_version) where removed_version is null`,
    // By table it was taken for what is visible, too.
    sql`drop index segments_project`,
    sql`create index segments_project on segments (project_id, id)`,
    sql`create index segments_left on segments (project_id, table_name, removed_version) where removed_version is not null`,
    sql`create index segments_retired on segments (removed_at, id) where removed_at is not null`,
    sql`drop index segments_removed`,
    sql`create index queries_few_started_at on queries (started_at) where state = 'running'`,
  ])
    await index.execute(db);
}
