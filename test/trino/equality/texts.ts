import { TrinoRefused } from '../../../packages/engine/src/cluster/client.ts';
import { fieldsOf, type Lines } from './engines.ts';

/** Difference of two numbers. */
export const inexact = /: 1\|-?\d[\d.e+-]* here, 1\|-?\d[\d.e+-]* in Trino$/i;

export const nameOf = (signature: string): string => signature.slice(0, signature.indexOf('('));

export function refused(error: unknown): undefined {
  if (error instanceof TrinoRefused) return undefined;
  throw error;
}

/** Tables of edges with their schema. */
export const inTrino = (from: string): string => from.replace(/\b[eg]_\w+/g, '"default".$&');

/** 1 if an expression has a value, 0 if it is NULL, NULL if it fails. */
export const stateOf = (word: string, expression: string): string =>
  `${word}(CASE WHEN (${expression}) IS NULL THEN 0 ELSE 1 END)`;

/** Names of types without the precision of timestamps, which is one. */
export const plain = (type: string): string =>
  type
    .replace(/\s+/g, '')
    .replace('VARCHAR(', 'VARCHAR')
    .replace(/VARCHAR\d+\)/, 'VARCHAR');

/** Returns the printed expression of `WITH … SELECT expression AS "c" FROM …`. */
export function expressionOf(text: string): string {
  const begin = text.indexOf(') SELECT ') + ') SELECT '.length;
  return text.slice(begin, text.lastIndexOf(' AS "c" FROM '));
}

/** Splits lines of states and values into one list for each pair. */
export function columnsOf(lines: Lines, count: number): Lines[] {
  const rows = lines.map(fieldsOf);
  return Array.from({ length: count }, (_, at) =>
    rows.map((fields) => `${fields[2 * at]}|${fields[2 * at + 1]}`),
  );
}
