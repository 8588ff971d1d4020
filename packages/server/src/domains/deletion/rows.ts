import { sql } from 'kysely';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { Database } from '../../platform/records/schema.ts';
import type { RemovedKind, Remover } from './remover.ts';

/** The column that says which project or account a row belongs to. */
const ownerColumn: Record<RemovedKind, string> = { project: 'project_id', account: 'account_id' };

interface OwnedRows {
  /** A column that tells the rows of one owner apart, or nearly: those of a value go together. Default `id`. */
  key?: string;
  /** The column with the key of the row's blob, which goes with it. */
  blob?: string;
}

/**
 * The remover of a table whose rows name their project or account. As an expression the owner is only looked at in the rows that have
 * been found by their key: as a column it would draw SQLite into its index, and so to all that is left, for every step.
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

/** Cancels work of a project that waits or runs, job and state in one step, so that a late finisher always loses. The job is locked first, as its run does. */
export function stopWork(
  jobs: Jobs,
  table: 'ehr_syncs' | 'ingestions' | 'queries',
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
