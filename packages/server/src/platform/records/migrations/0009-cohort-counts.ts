import { type Kysely, sql } from 'kysely';
import { statementsOf } from '../columns.ts';

const tables = `
create table cohort_counts (
  id text not null primary key,
  cohort_id text not null,
  project_id text not null,
  account_id text not null,
  member_count bigint not null,
  counted_at bigint not null
);
create index cohort_counts_cohort on cohort_counts (cohort_id, id);
create index cohort_counts_project on cohort_counts (project_id);
create index cohort_counts_account on cohort_counts (account_id);
insert into cohort_counts (id, cohort_id, project_id, account_id, member_count, counted_at)
  select id, cohort_id, project_id, account_id, member_count, counted_at from cohort_parts;
`;

/** Creates the history of counts, which begins with the present ones. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statementsOf(db, tables)) await sql.raw(statement).execute(db);
}
