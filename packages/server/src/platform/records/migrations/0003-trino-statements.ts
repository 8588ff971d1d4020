import { type Kysely, sql } from 'kysely';
import { statementsOf } from '../columns.ts';
import { createBlobTriggersOf } from './initial/blob-triggers.ts';

/** Columns of this step whose rows own a blob, with their tables. */
export const trinoBlobColumns = [['trino_statements', 'blob_key']] as const;

/** Creates the table of the statements of the Trino client protocol. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statementsOf(db, statements)) await sql.raw(statement).execute(db);
  await createBlobTriggersOf(db, trinoBlobColumns);
}

const statements = `
create table trino_statements (
  id text not null primary key,
  user_id text not null,
  account_id text,
  project_id text,
  query_text text not null,
  statement text not null,
  tables text not null,
  masked bigint not null,
  lake_version bigint not null,
  state text not null,
  progress double precision not null,
  answer text,
  error text,
  row_count bigint,
  blob_key text,
  size bigint,
  sha256 text,
  job_id text,
  created_at bigint not null,
  started_at bigint,
  ended_at bigint,
  asked_at bigint not null,
  deadline_at bigint
);
create index trino_statements_asked on trino_statements (asked_at);
create index trino_statements_blob on trino_statements (blob_key);
create index trino_statements_project on trino_statements (project_id, id);
create index trino_statements_few_created_at on trino_statements (created_at) where state = 'running';
create index trino_statements_user on trino_statements (user_id, id);
`;
