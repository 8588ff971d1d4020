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

/** The remover of a table whose rows name their project or account. */
export function rowsOf(of: RemovedKind, table: keyof Database, owned: OwnedRows = {}): Remover {
  const key = sql.ref(owned.key ?? 'id');
  const blob = owned.blob === undefined ? sql`null` : sql.ref(owned.blob);
  const belongs = (id: string) => sql`${sql.ref(ownerColumn[of])} = ${id}`;
  return {
    of,
    table,
    remove: async (tx, id, rowsMax) => {
      const { rows } = await sql<{ blob: string | null }>`
        delete from ${sql.table(table)} where ${belongs(id)} and ${key} in (
          select ${key} from ${sql.table(table)} where ${belongs(id)} limit ${sql.lit(rowsMax)}
        )
        returning ${blob} as blob
      `.execute(tx);
      return { rows: rows.length, blobs: rows.flatMap((row) => (row.blob === null ? [] : [row.blob])) };
    },
  };
}

/** Cancels work of a project that waits or runs: the state first, then the job, so that a late finisher always loses. */
export function stopWork(
  jobs: Jobs,
  table: 'ehr_syncs' | 'ingestions' | 'queries',
): NonNullable<Remover['stop']> {
  return async (tx: Transaction, id, rowsMax) => {
    const { rows } = await sql<{ job_id: string }>`
      update ${sql.table(table)} set state = 'cancelled', ended_at = ${Date.now()}
      where id in (
        select id from ${sql.table(table)}
        where project_id = ${id} and state in ('queued', 'running') limit ${sql.lit(rowsMax)}
      )
      returning job_id
    `.execute(tx);
    for (const { job_id } of rows) await jobs.cancel(tx, job_id);
    return rows.length;
  };
}
