import type { ResultType } from '../result-type.ts';
import { identifier } from './quote.ts';

/** Column of a result file. */
export interface FileColumn {
  /** Unique in the file. */
  header: string;
  type: ResultType;
}

/**
 * Selects the columns of a statement in the form in which a file has them.
 *
 * @param formOf Returns the SQL that forms a value (`value`: SQL too) of a type.
 */
export function selectColumns(
  sql: string,
  columns: readonly FileColumn[],
  formOf: (value: string, type: ResultType) => string,
): string {
  const list = columns.map(
    ({ header, type }, index) => `${formOf(`r.c${index}`, type)} AS ${identifier(header)}`,
  );
  return `SELECT ${list.join(', ')} FROM ${numbered(sql, columns.length)}`;
}

/** Returns the relation `r` of the columns `c0`, `c1`, … of a statement, whose own names may be missing or repeated. */
export function numbered(sql: string, columnCount: number): string {
  const names = Array.from({ length: columnCount }, (_, index) => `c${index}`);
  return `(\n${sql}\n) AS r(${names.join(', ')})`;
}
