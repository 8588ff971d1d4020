import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import { eachAlone, pagesOf } from '../../../platform/concurrency/each-alone.ts';
import { readSharedNow } from '../../../platform/records/clock.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';

/** Minimum time before retired rows are removed, for queries that are just starting. */
const retiredMs = 10 * 60_000;
/** Rows examined per batch. */
const batchRows = 500;
/** Pause between batches, which leaves the database to other work. */
const pauseMs = 10;

/** Literal, not a parameter: partial indexes match it only so. */
export const isRunning = sql.lit('running' as const);

type RetiringTable = 'segments' | 'lake_files' | 'annotated_segments';

/** Retired row of the catalogue. */
interface RetiredRow {
  id: string;
  /** Epoch milliseconds. */
  at: number;
  /** Truthy if a running query may still read it. */
  held: unknown;
}

/** Page of retired rows: those before a time and after a row, oldest first. */
export interface RetiredPage {
  before: number;
  after: Pick<RetiredRow, 'at' | 'id'>;
  rowsMax: number;
}

/**
 * Removes retired rows that no running query can read, then files without a row. Rows still in use are
 * skipped.
 */
export async function removeRetired(
  { records, blobs }: { records: Records; blobs: Blobs },
  table: RetiringTable,
  retired: (page: RetiredPage) => Promise<RetiredRow[]>,
  signal: AbortSignal,
): Promise<void> {
  const before = (await readSharedNow(records.dialect, records.read)) - retiredMs;
  const first: RetiredPage['after'] = { at: Number.MIN_SAFE_INTEGER, id: '' };
  const pages = pagesOf<RetiredRow>(
    (after = { ...first, held: false }) => retired({ before, after, rowsMax: batchRows }),
    batchRows,
  );
  const removePage = async (rows: RetiredRow[]): Promise<void> => {
    const free = rows.filter(({ held }) => !held).map(({ id }) => id);
    // Rows go first: a blob without a row is swept, a row without a blob would fail queries.
    if (free.length > 0)
      await removeFreed(blobs, await records.transact((tx) => removeRows(tx, table, free)));
    if (rows.length === batchRows) await delay(pauseMs, undefined, { signal });
  };
  await eachAlone(pages, removePage, {
    failed: `retired rows of ${table} could not be removed; it is tried again`,
    about: ([row]) => ({ from: row?.id }),
    signal,
  });
}

/**
 * Removes rows, and returns the blobs that no row of the table references any more. Rows of `lake_files` own
 * no blob.
 */
async function removeRows(tx: Transaction, table: RetiringTable, ids: readonly string[]): Promise<string[]> {
  if (table === 'lake_files') {
    await tx.deleteFrom(table).where('id', 'in', ids).execute();
    return [];
  }
  const removed = await tx.deleteFrom(table).where('id', 'in', ids).returning('blob_key').execute();
  const keys = [...new Set(removed.map(({ blob_key }) => blob_key))];
  if (keys.length === 0) return [];
  const { rows } = await sql<{ key: string }>`
    select k.column1 as key from (values ${sql.join(keys.map((key) => sql`(${key})`))}) as k
    where not exists (select 1 from ${sql.table(table)} as t where t.blob_key = k.column1)
  `.execute(tx);
  return rows.map(({ key }) => key);
}
