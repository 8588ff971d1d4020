import { type Kysely, sql } from 'kysely';
import { statementsOf } from '../columns.ts';

const tables = `
create table buckets (
  id text not null primary key,
  account_id text not null,
  project_id text not null,
  creator_id text not null,
  address text not null,
  folder text not null,
  ingest integer not null,
  key_id text,
  secret_sealed text,
  state text not null,
  failure text,
  files bigint not null,
  bytes bigint not null,
  skipped bigint not null,
  missing bigint not null,
  looked_at bigint,
  created_at bigint not null
);
create index buckets_account on buckets (account_id);
create index buckets_looked on buckets (looked_at);
create index buckets_project on buckets (project_id, id);

create table last_backup (
  id text not null primary key,
  made_at bigint not null,
  bytes bigint not null
);
`;

/** Creates the buckets whose objects are files of projects where they are, and the note of the last backup. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statementsOf(db, tables)) await sql.raw(statement).execute(db);
}
