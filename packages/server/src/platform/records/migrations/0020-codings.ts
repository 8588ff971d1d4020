import { type Kysely, sql } from 'kysely';

/**
 * Names the codings of resources as the table that statements may name: what was ingested before is in it. A table of that name
 * that a project defined itself gets another one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const own = await sql<{ project_id: string }>`
    select distinct project_id from lake_tables where table_name = 'coding'`.execute(db);
  for (const { project_id: project } of own.rows) await renameOwn(db, project);
  await sql`
    insert into lake_tables (project_id, table_name, created_at)
    select project_id, 'coding', min(created_at) from lake_tables
    where project_id in (select project_id from segments where table_name = '_coding' and removed_version is null)
    group by project_id`.execute(db);
  for (const table of ['segments', 'lake_files'])
    await sql`update ${sql.table(table)} set table_name = 'coding' where table_name = '_coding'`.execute(db);
}

/** Gives a project's own table the first free name. */
async function renameOwn(db: Kysely<unknown>, project: string): Promise<void> {
  const { rows } = await sql<{ table_name: string }>`
    select table_name from lake_tables where project_id = ${project}`.execute(db);
  const taken = new Set(rows.map((row) => row.table_name));
  let name = 'own_coding';
  for (let number = 2; taken.has(name); number += 1) name = `own_coding_${number}`;
  for (const table of ['lake_tables', 'segments', 'lake_files'])
    await sql`
      update ${sql.table(table)} set table_name = ${name}
      where project_id = ${project} and table_name = 'coding'`.execute(db);
}
