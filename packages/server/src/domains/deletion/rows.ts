import { sql } from 'kysely';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { Database } from '../../platform/records/schema.ts';
import type { RemovedKind, Remover } from './remover.ts';

/** Column that names the project or account of a row. */
const ownerColumn: Record<RemovedKind, string> = { project: 'project_id', account: 'account_id' };

interface OwnedRows {
  /**
   * Column that distinguishes the rows of one owner, or nearly: rows of one value go together. Default `id`.
   */
  key?: string;
  /** Column with the key of the row's blob, which is removed too. */
  blob?: string;
}

/**
 * Returns the remover of a table whose rows name their project or account. The owner is an expression, so it
 * is checked only in rows found by their key. As a column it would draw SQLite into its index, and so to all
 * remaining rows, in every step.
 */
export function rowsOf(of: RemovedKind, table: keyof Database, owned: OwnedRows = {}): Remover {
  const key = sql.ref(owned.key ?? 'id');
  const blob = owned.blob === undefined ? sql`null` : sql.ref(owned.blob);
  const owner = sql.ref(ownerColumn[of]);
  return {
    of,
    table,
    remove: async (tx, id, rowsMax) => {
      const { rows } = await sql<{ blob: string | null }>`
        delete from ${sql.table(table)} where ${owner} || '' = ${id} and ${key} in (
          select ${key} from ${sql.table(table)} where ${owner} = ${id} limit ${sql.lit(rowsMax)}
        )
        returning ${blob} as blob
      `.execute(tx);
      return { rows: rows.length, blobs: rows.flatMap((row) => (row.blob === null ? [] : [row.blob])) };
    },
  };
}

/**
 * Cancels queued and running work of a project, job and state in one step: a late finisher always loses. The
 * job is locked first, as in its run.
 */
export function stopWork(
  jobs: Jobs,
  table: 'ehr_syncs' | 'ingestions' | 'lake_copies' | 'queries' | 'trino_statements',
): NonNullable<Remover['stop']> {
  return async (tx: Transaction, id, rowsMax) => {
    const { rows } = await sql<{ id: string; job_id: string }>`
      select id, job_id from ${sql.table(table)}
      where project_id = ${id} and state in ('queued', 'running') limit ${sql.lit(rowsMax)}
    `.execute(tx);
    for (const { id: work, job_id } of rows) {
      await jobs.cancel(tx, job_id);
      await sql`
        update ${sql.table(table)} set state = 'cancelled', ended_at = ${Date.now()}
        where id = ${work} and state in ('queued', 'running')
      `.execute(tx);
    }
    return rows.length;
  };
}
