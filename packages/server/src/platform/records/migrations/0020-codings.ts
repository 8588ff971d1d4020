import { type Kysely, sql } from 'kysely';

/**
 * Names the codings of resources as the table that statements may name: what was ingested before is in it. A table of that name
 * that a project defined itself gets another one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update lake_tables set table_name = 'own_coding' where table_name = 'coding'`.execute(db);
  await sql`
    insert into lake_tables (project_id, table_name, created_at)
    select project_id, 'coding', min(created_at) from lake_tables
    where project_id in (select project_id from segments where table_name = '_coding' and removed_version is null)
    group by project_id`.execute(db);
  for (const table of ['segments', 'lake_files']) {
    const rename = (from: string, to: string) =>
      sql`update ${sql.table(table)} set table_name = ${to} where table_name = ${from}`.execute(db);
    await rename('coding', 'own_coding');
    await rename('_coding', 'coding');
  }
}
