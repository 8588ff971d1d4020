import type { CheckedStatement, QueryTable } from '../engine.ts';
import { identifier } from './quote.ts';

/** Returns the rows of a table as a statement reads them. */
export function rowsFor(statement: CheckedStatement, { sql, orderBy = [] }: QueryTable): string {
  if (!statement.sortsTables || orderBy.length === 0) return sql;
  return `SELECT * FROM (${sql}) ORDER BY ${orderBy.map(identifier).join(', ')}`;
}
