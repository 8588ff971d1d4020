import { type Kysely, sql } from 'kysely';
import { statementsOf } from '../columns.ts';

const tables = `
create table saved_queries (
  id text not null primary key,
  account_id text not null,
  project_id text not null,
  name text not null,
  name_key text not null,
  description text not null,
  statement text not null,
  shared bigint not null,
  owner_id text not null,
  created_at bigint not null,
  modified_at bigint not null
);
create index saved_queries_project on saved_queries (project_id, name_key, id);
`;

/** Creates the table of saved statements. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statementsOf(db, tables)) await sql.raw(statement).execute(db);
}
