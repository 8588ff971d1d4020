import type { Reader, Transaction } from '../../../platform/records/records.ts';

/** Tables that lost rows in a version of the lake. */
interface Removal {
  project: string;
  version: number;
  tables: readonly string[];
}

/**
 * Notes in the transaction that removes rows of tables in which version it did. Files given out before, which
 * hold these rows, are recognised by it: `isWhole`, `hasLostRows`.
 */
export async function noteRemovals(tx: Transaction, { project, version, tables }: Removal): Promise<void> {
  const rows = [...new Set(tables)].map((table_name) => ({
    ...{ project_id: project, table_name, removed_version: version },
    created_at: Date.now(),
  }));
  if (rows.length === 0) return;
  await tx
    .insertInto('lake_tables')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'table_name']).doUpdateSet({ removed_version: version }),
    )
    .execute();
}

/**
 * Reports whether all rows of a file of the lake are in the present lake: the file is read as a whole, or a
 * merged one replaced it and nothing was removed since.
 */
export async function isWhole(read: Reader, project: string, key: string): Promise<boolean> {
  const state = await read
    .selectFrom('lake_files as f')
    .leftJoin('lake_tables as t', (join) =>
      join.onRef('t.project_id', '=', 'f.project_id').onRef('t.table_name', '=', 'f.table_name'),
    )
    .select(['f.project_id', 'f.ordinals', 'f.removed_version', 't.removed_version as lost'])
    .where('f.key', '=', key)
    .orderBy('f.added_version', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (state?.project_id !== project || state.ordinals !== null) return false;
  return state.removed_version === null || state.removed_version > (state.lost ?? 0);
}

/** Reports whether a version of the lake has rows of some tables that were removed since. */
export async function hasLostRows(
  read: Reader | Transaction,
  project: string,
  { version, tables }: { version: number; tables: readonly string[] },
): Promise<boolean> {
  const lost = await read
    .selectFrom('lake_tables')
    .select('table_name')
    .where('project_id', '=', project)
    .where('table_name', 'in', tables)
    .where('removed_version', '>', version)
    .limit(1)
    .executeTakeFirst();
  return lost !== undefined;
}
