import { type Column, type ColumnType, engineTypes, groupOfEffect, rowBytesMax } from '@ploidy/formats';
import { columnsOf } from './catalogue.ts';
import { literal, literals, lookUp } from './sql-text.ts';

export interface StatementInput {
  /** File or pipe with the rows of a `RecordMapper`. */
  rowsPath: string;
  /** Its columns. */
  rowColumns: readonly string[];
  setId: string;
  sampleCount: number;
  /** The samples' names in the lake; for a sites-only file one, or none when nobody named it. */
  sampleIds: readonly string[];
}

/** Types of the fields of a row that are no column of `variant`. */
const ownTypes: Record<string, ColumnType> = { allele_hash: 'string', sample: 'int' };

/**
 * The rows of `variant`, its columns in order, sorted by chromosome and position. What is the same everywhere or follows from other
 * columns is added after the sort, which so carries a fraction of the bytes.
 */
export function variantRows(input: StatementInput): string {
  const columns = columnsOf('variant');
  const types = new Map(columns.map((column) => [column.name, column.type]));
  const typed = input.rowColumns.map(
    (name) => `${name}: ${literal(engineTypes[types.get(name) ?? ownTypes[name] ?? 'string'])}`,
  );
  const rows = `read_csv(${literal(input.rowsPath)}, delim = '\t', header = false, quote = '', escape = '', comment = '', auto_detect = false,
    columns = {${typed.join(', ')}}, compression = 'none', max_line_size = ${rowBytesMax * 2}, buffer_size = ${rowBytesMax * 3})`;
  const sorted = `SELECT * FROM ${rows} ORDER BY chromosome, position`;
  return `SELECT ${columns.map((column) => finalColumn(column, input)).join(', ')} FROM (${sorted})`;
}

function finalColumn({ name, type }: Column, input: StatementInput): string {
  const has = (column: string): boolean => input.rowColumns.includes(column);
  const sql = derivedColumn(name, input, has) ?? (has(name) ? name : 'NULL');
  return `CAST(${sql} AS ${engineTypes[type]}) AS ${name}`;
}

function derivedColumn(
  name: string,
  input: StatementInput,
  has: (column: string) => boolean,
): string | undefined {
  switch (name) {
    case 'variant_id':
      return `concat(${literal(`${input.setId}:`)}, allele_hash, ':'${has('gene') ? ', gene' : ''})`;
    case 'variant_set_id':
      return literal(input.setId);
    case 'sample_id':
      return input.sampleCount > 1 ? `[${literals(input.sampleIds)}][sample]` : literal(input.sampleIds[0]);
    case 'ebcanon_group':
      return has('ebcanon_class') ? lookUp('ebcanon_class', groupOfEffect) : undefined;
    default:
      return undefined;
  }
}
