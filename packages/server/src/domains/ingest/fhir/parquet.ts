import { type Column, engineTypes, type Table } from '@ploidy/formats';
import { separator, writtenCarriageReturn, writtenLineFeed } from './field-text.ts';

/** A column of a text file: name and the engine's type. */
export type TextColumn = readonly [name: string, type: string];

const bufferBytesMin = 1024 * 1024;

/** A SQL text literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A text file: where it is, and what is in it. */
export interface TextFile {
  path: string;
  columns: readonly TextColumn[];
  longestRowBytes: number;
  /** Whether texts may hold line breaks that were written as other characters. */
  hasLineBreaks: boolean;
}

/** Reads a text file whose types we wrote ourselves: nothing is guessed. */
export function readText({ path, columns, longestRowBytes, hasLineBreaks }: TextFile): string {
  const lineMax = longestRowBytes + 1024;
  const types = columns.map(([name, type]) => `${literal(name)}: ${literal(type)}`).join(', ');
  const read = `read_csv(${literal(path)}, columns = {${types}}, delim = ${literal(separator)}, quote = '', escape = '',
    header = false, auto_detect = false, new_line = '\\n', comment = '', max_line_size = ${lineMax},
    buffer_size = ${Math.max(bufferBytesMin, lineMax * 2)})`;
  if (!hasLineBreaks) return read;
  const written = literal(writtenLineFeed + writtenCarriageReturn);
  const texts = columns.filter(([name, type]) => type === 'VARCHAR' && name !== 'data').map(([name]) => name);
  const restored = texts.map((name) => `translate(${name}, ${written}, chr(10) || chr(13)) AS ${name}`);
  return `(SELECT * REPLACE (${restored.join(', ')}) FROM ${read})`;
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

/** A statement that writes a query's rows as Parquet. The engine holds one row group while it writes it: 16 MB at most. */
export function copyToParquet(query: string, path: string): string {
  return `COPY (${query}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE_BYTES '16MB')`;
}
