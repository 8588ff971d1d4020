import { type Kysely, sql } from 'kysely';
import { statementsOf } from '../columns.ts';

const tables = `
create table exports (
  id text not null primary key,
  account_id text not null,
  project_id text not null,
  user_id text not null,
  request text not null,
  parts text not null,
  started_at bigint not null
);
create index exports_project on exports (project_id, id);
`;

/** Creates the table of exports. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statementsOf(db, tables)) await sql.raw(statement).execute(db);
}
