import { type Column, tables } from '@ploidy/formats';

/** The columns of a table of the lake, in order. */
export function columnsOf(table: string): Column[] {
  const found = tables.get(table);
  if (!found) throw new Error(`The catalogue has no table ${table}`);
  return found.columns;
}

/** By which columns the rows of omic tables are sorted, so that a query over a region or gene reads little. */
export const sortedBy: Readonly<Record<string, readonly string[]>> = {
  variant: ['chromosome', 'position'],
  copynumber: ['chromosome', 'start_position'],
  fusion: ['chromosome1', 'start_position1'],
  gene: ['gene_id', 'gene_name'],
};
