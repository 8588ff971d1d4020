import { type Column, detailSeparator, engineTypes, groupOfEffect, rowBytesMax } from '@ploidy/formats';
import { columnsOf } from './catalogue.ts';
import { literal, literals, lookUp } from './sql-text.ts';

export interface StatementInput {
  /** File or pipe with the rows of a `RecordMapper`. */
  rowsPath: string;
  /** Its details. */
  details: readonly string[];
  setId: string;
  sampleCount: number;
  /** The samples' names in the lake; for a sites-only file one, or none when nobody named it. */
  sampleIds: readonly string[];
}

/**
 * The rows of `variant`, its columns in order, sorted by chromosome and position. The details are sorted as one text and taken apart
 * afterwards, and what is the same everywhere or follows from other columns is added last: so the sort carries a third of the bytes.
 */
export function variantRows(input: StatementInput): string {
  const rows = `read_csv(${literal(input.rowsPath)}, delim = '\t', header = false, quote = '', escape = '', comment = '', auto_detect = false,
    columns = {chromosome: 'VARCHAR', position: 'BIGINT', details: 'VARCHAR'}, compression = 'none',
    max_line_size = ${rowBytesMax * 2}, buffer_size = ${rowBytesMax * 3})`;
  const sorted = `SELECT * FROM ${rows} ORDER BY chromosome, position`;
  const split = `SELECT chromosome, position, string_split(details, ${literal(detailSeparator)}) AS details FROM (${sorted})`;
  const named = input.details.map((name, index) => `details[${index + 1}] AS ${name}`);
  const apart = `SELECT chromosome, position, ${named.join(', ')} FROM (${split})`;
  const columns = columnsOf('variant').map((column) => `${finalColumn(column, input)} AS ${column.name}`);
  return `SELECT ${columns.join(', ')} FROM (${apart})`;
}

function finalColumn(
  { name, type }: Column,
  { details, setId, sampleCount, sampleIds }: StatementInput,
): string {
  switch (name) {
    case 'chromosome':
    case 'position':
      return name;
    case 'variant_id':
      return `concat(${literal(`${setId}:`)}, allele_hash, ':'${details.includes('gene') ? ', gene' : ''})`;
    case 'variant_set_id':
      return literal(setId);
    case 'sample_id':
      return sampleCount > 1
        ? `[${literals(sampleIds)}][CAST(sample AS INTEGER)]`
        : `CAST(${literal(sampleIds[0])} AS VARCHAR)`;
    case 'ebcanon_group':
      return details.includes('ebcanon_class')
        ? lookUp('ebcanon_class', groupOfEffect)
        : `CAST(NULL AS ${engineTypes[type]})`;
    default:
      if (!details.includes(name)) return `CAST(NULL AS ${engineTypes[type]})`;
      return `CAST(CASE WHEN ${name} <> '' THEN ${name} END AS ${engineTypes[type]})`;
  }
}
