import { type Kysely, sql } from 'kysely';
import { statementsOf } from '../columns.ts';

const tables = `
create table duties (
  name text not null primary key,
  owner text not null,
  held_until bigint not null
);
`;

/** Creates the leases of periodic work, which one process at a time does. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statementsOf(db, tables)) await sql.raw(statement).execute(db);
}
