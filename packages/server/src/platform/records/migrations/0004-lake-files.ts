import { type Kysely, sql } from 'kysely';
import { statementsOf } from '../columns.ts';

const tables = `
create table lake_files (
  id text not null primary key,
  project_id text not null,
  table_name text not null,
  key text not null,
  size bigint not null,
  sha256 text not null,
  genome_build text,
  source text not null,
  ingestion_id text not null,
  ordinal bigint not null,
  segments bigint not null,
  row_count bigint not null,
  file_rows bigint,
  ordinals text,
  own_columns text,
  added_version bigint not null,
  removed_version bigint,
  removed_at bigint
);
create index lake_files_key on lake_files (key);
create index lake_files_left
  on lake_files (project_id, table_name, removed_version) where removed_version is not null;
create index lake_files_project on lake_files (project_id, id);
create index lake_files_retired on lake_files (removed_at, id) where removed_at is not null;
create index lake_files_visible on lake_files (project_id, table_name) where removed_version is null;
`;

/**
 * Creates the catalogue by file, filled from the visible segments. Present files count as visible in all
 * earlier versions, for queries that wait with a pinned one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statementsOf(db, tables)) await sql.raw(statement).execute(db);
  await sql`
    insert into lake_files
    select min(id), project_id, table_name, blob_key, min(size), min(sha256), genome_build, min(source),
      min(ingestion_id), min(ordinal), count(*), sum(row_count), file_rows,
      case when sum(row_count) < file_rows then '[' || string_agg(cast(ordinal as text), ',') || ']' end,
      min(own_columns), 0, null, null
    from segments where removed_version is null
    group by project_id, table_name, blob_key, genome_build, file_rows
  `.execute(db);
}
