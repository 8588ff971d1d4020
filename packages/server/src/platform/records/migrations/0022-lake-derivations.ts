import { type Kysely, sql } from 'kysely';
import { statementsOf } from '../columns.ts';

const tables = `
create table lake_derivations (
  project_id text not null primary key,
  ordinal_max bigint not null,
  ordinal_done bigint not null
);
`;

/** Notes the lakes whose files may be older than the tables that are derived from them: alterations and profiles of samples. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statementsOf(db, tables)) await sql.raw(statement).execute(db);
  await sql`
    insert into lake_derivations (project_id, ordinal_max, ordinal_done)
    select project_id, version, 0 from lakes where version > 0
  `.execute(db);
}
