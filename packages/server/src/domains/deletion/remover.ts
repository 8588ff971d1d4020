import type { Transaction } from '../../platform/records/records.ts';
import type { Database } from '../../platform/records/schema.ts';
import type { RemovalsTable } from '../../platform/records/schema-deletion.ts';

/** Kinds that can be removed as a whole. */
export type RemovedKind = RemovalsTable['kind'];

/** Result of one step of a removal. */
export interface RemovedBatch {
  rows: number;
  /** Keys of blobs that no row names any more; their bytes are removed after the commit. */
  blobs: string[];
}

/**
 * Removal of the rows of one table that belong to a project or account. Every step is one transaction and may
 * be the last before a crash: the next must continue from any state.
 */
export interface Remover {
  of: RemovedKind;
  table: keyof Database;
  /** Stops at most `rowsMax` running jobs and returns how many. All work is stopped before anything is removed. */
  stop?: (tx: Transaction, id: string, rowsMax: number) => Promise<number>;
  /** Removes about `rowsMax` rows of the project or account `id`; zero means that no row is left. */
  remove: (tx: Transaction, id: string, rowsMax: number) => Promise<RemovedBatch>;
}
