import { type Kysely, sql } from 'kysely';
import { statementsOf } from '../columns.ts';
import { createBlobTriggersOf } from './initial/blob-triggers.ts';

/** Columns of this step whose rows own a blob, with their tables. */
export const copyBlobColumns = [['lake_copies', 'blob_key']] as const;

const tables = `
create table lake_copies (
  id text not null primary key,
  account_id text not null,
  project_id text not null,
  table_name text not null,
  digest text not null,
  read_tables text not null,
  lake_version bigint not null,
  user_id text not null,
  job_id text not null,
  state text not null,
  error text,
  row_count bigint,
  blob_key text,
  size bigint,
  sha256 text,
  started_at bigint not null,
  ended_at bigint,
  opened_at bigint not null,
  retired_at bigint
);
create unique index lake_copies_one on lake_copies (project_id, table_name, digest);
create index lake_copies_account on lake_copies (account_id);
create index lake_copies_blob on lake_copies (blob_key);
create index lake_copies_open on lake_copies (job_id) where state in ('queued', 'running');
`;

/**
 * Creates the copies of tables for readers of whole files, and notes when rows of a table were last removed.
 * Files that were retired before count as removed with the present version.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statementsOf(db, tables)) await sql.raw(statement).execute(db);
  await createBlobTriggersOf(db, copyBlobColumns);
  await sql`alter table lake_tables add column removed_version bigint not null default 0`.execute(db);
  await sql`
    update lake_tables set removed_version = coalesce(
      (select version from lakes where lakes.project_id = lake_tables.project_id), 0
    )
  `.execute(db);
}
