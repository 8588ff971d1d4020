import type { Database } from '../records/schema.ts';
import type { Secrets } from './secrets.ts';

/** A column of the records that holds sealed values: told by its domain, so that a new master key reaches all of them. */
export interface SealedColumn {
  table: keyof Database;
  column: string;
  /** The column that tells its rows apart. */
  key: string;
  /** The same value sealed with the present key; the same text when it is so already. */
  renew(secrets: Secrets, value: string, key: string): string;
}

/** A column whose values are sealed each for a context that its row's key gives. */
export function sealedColumn(
  table: keyof Database,
  column: string,
  context: (key: string) => string,
  key = 'id',
): SealedColumn {
  return { table, column, key, renew: (secrets, value, row) => secrets.renew(value, context(row)) };
}
