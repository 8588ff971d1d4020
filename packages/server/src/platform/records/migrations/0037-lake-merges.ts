import { type Kysely, sql } from 'kysely';
import { statementsOf } from '../columns.ts';

const changes = `
create table lake_merges (
  project_id text not null,
  table_name text not null,
  job_id text,
  given_up_version bigint,
  constraint lake_merges_key primary key (project_id, table_name)
);
create index lake_merges_open on lake_merges (job_id) where job_id is not null;
drop index lakes_compacting;
drop index lakes_few_project_id;
create index lakes_few_project_id on lakes (project_id) where version > compacted_version;
alter table lakes drop column compaction_job_id;
`;

/** Lets each table of a project have a job that merges its files, in place of one for the project. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statementsOf(db, changes)) await sql.raw(statement).execute(db);
}
