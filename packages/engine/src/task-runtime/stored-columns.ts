import type { StoredColumn } from '@ploidy/formats/tables';
import { engineTypes } from '@ploidy/formats/tables';
import { identifier, literal } from './quote.ts';

type TypedColumn = Pick<StoredColumn, 'name' | 'type'>;

/**
 * Builds the option by which `read_parquet` reads all columns of a table: one that a file lacks, since it was
 * written before the column existed, is NULL. Columns are matched by name; others of a file are left out. Unlike
 * `union_by_name`, no file is opened before it is read.
 */
export function schemaOption(columns: readonly TypedColumn[]): string {
  const entries = columns.map(({ name, type }) => {
    const text = literal(name);
    return `${text}: {name: ${text}, type: '${typeOf(type)}', default_value: NULL}`;
  });
  return `schema = MAP {${entries.join(', ')}}`;
}

/** Builds a relation of a file with all of its columns, and those of its table that it lacks. `file`: a scan of it. */
export function withColumns(columns: readonly TypedColumn[], file: string): string {
  return `(${noRows(columns)} UNION ALL BY NAME SELECT * FROM ${file})`;
}

/** Builds a SELECT of no rows with some columns. */
export function noRows(columns: readonly TypedColumn[]): string {
  const typed = columns.map(({ name, type }) => `NULL::${typeOf(type)} AS ${identifier(name)}`);
  return `SELECT ${typed.join(', ')} WHERE false`;
}

const typeOf = (type: TypedColumn['type']): string =>
  type === 'timestamp' ? 'TIMESTAMP' : engineTypes[type];
