import type { Database } from '../records/schema.ts';
import type { Secrets } from './secrets.ts';

/** Column of the records with sealed values, declared by its domain: a new master key then covers all of them. */
export interface SealedColumn {
  table: keyof Database;
  column: string;
  /** Column that identifies its rows. */
  key: string;
  /** Seals a value anew with the present key; returns current values unchanged. */
  renew(secrets: Secrets, value: string, key: string): string;
}

/** Column with sealed values, whose context follows from its row's key. */
export function sealedColumn(
  table: keyof Database,
  column: string,
  context: (key: string) => string,
  key = 'id',
): SealedColumn {
  return { table, column, key, renew: (secrets, value, row) => secrets.renew(value, context(row)) };
}
