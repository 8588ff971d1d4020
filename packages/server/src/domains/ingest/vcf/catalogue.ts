import { type Column, tables } from '@ploidy/formats';

/** The columns of a table of the lake, in order. */
export function columnsOf(table: 'variant' | 'sequence'): Column[] {
  const found = tables.get(table);
  if (!found) throw new Error(`The catalogue has no table ${table}`);
  return found.columns;
}
