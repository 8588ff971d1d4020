import { type Column, engineTypes, type Table } from '@ploidy/formats';
import { quote, separator } from './field-text.ts';
import type { SortedRows } from './row-sorter.ts';

/** A column of a text file: name and the engine's type. */
export type TextColumn = readonly [name: string, type: string];

const bufferBytesMin = 4 * 1024 * 1024;
const rowGroupBytes = 16 * 1024 * 1024;
const rowGroupRowsMax = 122_880;
/** Rows that the engine hands on at once: row groups are whole multiples. */
const vectorRows = 2048;

/** A SQL text literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Reads a text file whose types we wrote ourselves: no guessing, one thread (so that the order stays). */
export function readText(path: string, columns: readonly TextColumn[], longestRowBytes: number): string {
  const lineMax = longestRowBytes + 1024;
  const types = columns.map(([name, type]) => `${literal(name)}: ${literal(type)}`).join(', ');
  return `read_csv(${literal(path)}, columns = {${types}}, delim = ${literal(separator)}, quote = ${literal(quote)},
    escape = ${literal(quote)}, header = false, auto_detect = false, new_line = '\\n', comment = '', parallel = false,
    max_line_size = ${lineMax}, buffer_size = ${Math.max(bufferBytesMin, lineMax * 2)})`;
}

/** Columns of a table's text file: the public ones, our own, and the document last. */
export function textColumns(table: Table): TextColumn[] {
  const publicColumns = table.columns.filter(({ name }) => name !== 'data').map(columnType);
  const extra: TextColumn[] = [
    ['_resource_type', 'VARCHAR'],
    ['_last_updated', 'TIMESTAMP'],
  ];
  if (table.name === 'medication') extra.push(['_medication_id', 'VARCHAR']);
  if (hasData(table)) extra.push(['data', 'VARCHAR']);
  return [...publicColumns, ...extra];
}

function columnType({ name, type }: Column): TextColumn {
  return [name, engineTypes[type]];
}

/** Whether a table has the column `data`. */
export function hasData(table: Table): boolean {
  return table.columns.some(({ name }) => name === 'data');
}

/** The column that is the id of the resource that a row comes from. */
export function resourceIdColumn(table: Table): string {
  const names = table.columns.map(({ name }) => name);
  return ['id', 'medication_id'].find((name) => names.includes(name)) ?? 'patient_id';
}

/** Row groups of at most some 16 MB, since the engine holds one while it writes it. */
export function rowGroupRows({ rows, bytes }: SortedRows): number {
  const fitting = Math.floor(rowGroupBytes / Math.max(1, bytes / Math.max(1, rows)));
  if (fitting < vectorRows) return Math.max(1, fitting);
  return Math.min(rowGroupRowsMax, fitting - (fitting % vectorRows));
}

/** A statement that writes a query's rows as Parquet. */
export function copyToParquet(query: string, path: string, groupRows: number): string {
  return `COPY (${query}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${groupRows})`;
}
