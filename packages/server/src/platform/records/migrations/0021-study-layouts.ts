import { type Kysely, sql } from 'kysely';
import { statementsOf } from '../columns.ts';

const tables = `
create table study_layouts (
  id text not null primary key,
  account_id text not null,
  project_id text not null,
  owner_id text not null,
  charts text not null,
  modified_at bigint not null
);
create unique index study_layouts_owner on study_layouts (project_id, owner_id);
`;

/** Creates the table of the layouts of charts: one of each person in a project, and the shared one without an owner. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statementsOf(db, tables)) await sql.raw(statement).execute(db);
}
