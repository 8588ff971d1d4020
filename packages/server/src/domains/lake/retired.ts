import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';

/** What is retired stays this long at the least, for queries that were just being started. */
const retiredMs = 10 * 60_000;
/** Rows that are looked at, and removed, at once. */
const batchRows = 500;
/** Between two batches, for everybody else. */
const pauseMs = 10;

/** As it stands in partial indexes: a parameter would not be recognised. */
export const isRunning = sql.lit('running' as const);

/** A row that was retired. */
export interface RetiredRow {
  id: string;
  /** Epoch milliseconds. */
  at: number;
  /** Whether a running query may still read it. */
  held: unknown;
}

/** Which retired rows are looked at: those before a moment and after a row, the oldest first. */
export interface RetiredPage {
  before: number;
  after: Pick<RetiredRow, 'at' | 'id'>;
  rowsMax: number;
}

/**
 * Removes the retired rows that no running query may read any more, until none is left, and the files that nothing names then. Those that are held
 * are passed over once, however many they are.
 */
export async function removeRetired(
  { records, blobs }: { records: Records; blobs: Blobs },
  table: 'segments' | 'annotated_segments',
  retired: (page: RetiredPage) => Promise<RetiredRow[]>,
  signal: AbortSignal,
): Promise<void> {
  const before = Date.now() - retiredMs;
  let after: RetiredPage['after'] = { at: 0, id: '' };
  for (;;) {
    const rows = await retired({ before, after, rowsMax: batchRows });
    const free = rows.filter(({ held }) => !held).map(({ id }) => id);
    // Rows go first: a blob without a row is swept, a row without a blob would fail queries.
    if (free.length > 0)
      await removeFreed(blobs, await records.transact((tx) => removeRows(tx, table, free)));
    const last = rows.at(-1);
    if (!last || rows.length < batchRows) return;
    after = last;
    await delay(pauseMs, undefined, { signal });
  }
}

/** Answers the blobs that no row of the table names any more. */
async function removeRows(
  tx: Transaction,
  table: 'segments' | 'annotated_segments',
  ids: readonly string[],
): Promise<string[]> {
  const removed = await tx.deleteFrom(table).where('id', 'in', ids).returning('blob_key').execute();
  const keys = [...new Set(removed.map(({ blob_key }) => blob_key))];
  if (keys.length === 0) return [];
  const { rows } = await sql<{ key: string }>`
    select k.column1 as key from (values ${sql.join(keys.map((key) => sql`(${key})`))}) as k
    where not exists (select 1 from ${sql.table(table)} as t where t.blob_key = k.column1)
  `.execute(tx);
  return rows.map(({ key }) => key);
}
