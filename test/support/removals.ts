import { sql } from 'kysely';
import { keptTables } from '../../packages/server/src/app/maintenance/removers.ts';
import type { Records } from '../../packages/server/src/platform/records/index.ts';
import { until } from './until.ts';

/** Waits until the job has removed what a project or account held. */
export async function untilRemoved(records: Records, kind: 'project' | 'account', id: string): Promise<void> {
  await until(async () => (await removalOf(records, kind, id))?.state === 'done', `the ${kind} is removed`);
}

/** Returns the row of a removal. */
export function removalOf(records: Records, kind: 'project' | 'account', id: string) {
  const rows = records.read.selectFrom('removals').selectAll().where('kind', '=', kind);
  return rows.where('id', '=', id).executeTakeFirst();
}

/** Tables whose rows name their project or account, by which of the two columns. */
export async function ownedTables(records: Records): Promise<{ table: string; columns: string[] }[]> {
  const tables = await records.read.introspection.getTables();
  return tables
    .map(({ name, columns }) => ({
      table: name,
      columns: columns.map((column) => column.name).filter((one) => /^(project|account)_id$/.test(one)),
    }))
    .filter(({ columns }) => columns.length > 0);
}

/** Counts the remaining rows of a project or account by table, except retained ones: `table: rows`. */
export async function rowsLeft(records: Records, kind: 'project' | 'account', id: string): Promise<string[]> {
  const left: string[] = [];
  for (const { table, columns } of await ownedTables(records)) {
    if (!columns.includes(`${kind}_id`) || Object.hasOwn(keptTables, table)) continue;
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)} where ${sql.ref(`${kind}_id`)} = ${id}
    `.execute(records.read);
    if (Number(rows[0]?.count) > 0) left.push(`${table}: ${rows[0]?.count}`);
  }
  return left;
}
