import type { Transaction } from '../../platform/records/records.ts';
import type { Database } from '../../platform/records/schema.ts';
import type { RemovalsTable } from '../../platform/records/schema-deletion.ts';

/** What can be removed as a whole. */
export type RemovedKind = RemovalsTable['kind'];

/** What one step of a removal took away. */
export interface RemovedBatch {
  rows: number;
  /** Keys of blobs that no row names any more; their bytes go after the commit. */
  blobs: string[];
}

/**
 * How a domain removes the rows of one of its tables that belong to a project or account. Every step runs in a transaction of
 * its own and may be the last one before a crash, so it must be right to go on from whatever is left.
 */
export interface Remover {
  of: RemovedKind;
  table: keyof Database;
  /** Stops at most `rowsMax` of what still runs, and answers how many. All that runs is stopped before anything is removed. */
  stop?: (tx: Transaction, id: string, rowsMax: number) => Promise<number>;
  /** Removes at most about `rowsMax` rows of the project or account `id`; no rows removed means that none is left. */
  remove: (tx: Transaction, id: string, rowsMax: number) => Promise<RemovedBatch>;
}
