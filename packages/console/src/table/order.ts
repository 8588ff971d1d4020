import type { Column, Source } from './column.ts';

/** A column to sort by, and the direction. */
export interface Sorting {
  column: string;
  descending: boolean;
}

/** Returns the indexes of the rows that match a text, sorted. `undefined`: all rows as they are. */
export function orderOf<R>(
  rows: Source<R>,
  columns: readonly Column<R>[],
  filter: string,
  sorting: Sorting | undefined,
): Uint32Array | undefined {
  const wanted = filter.trim().toLowerCase();
  const column = columns.find(({ name }) => name === sorting?.column);
  if (wanted === '' && !column) return undefined;
  const kept: number[] = [];
  for (let index = 0; index < rows.length; index++)
    if (wanted === '' || matches(rows.at(index) as R, columns, wanted)) kept.push(index);
  if (column)
    sortBy(
      kept,
      (index) => (column.label ?? column.value)(rows.at(index) as R),
      sorting?.descending ?? false,
    );
  return Uint32Array.from(kept);
}

function matches<R>(row: R, columns: readonly Column<R>[], wanted: string): boolean {
  const has = (text: unknown): boolean =>
    String(text ?? '')
      .toLowerCase()
      .includes(wanted);
  return columns.some(({ value, label }) => has(value(row)) || (label && has(label(row))));
}

/** Sorts numbers by size and texts by the alphabet; missing values are last in both directions. */
function sortBy(indexes: number[], readValue: (index: number) => unknown, descending: boolean): void {
  const keys = new Map(indexes.map((index) => [index, keyOf(readValue(index))]));
  const collator = new Intl.Collator(undefined, { numeric: true });
  const sign = descending ? -1 : 1;
  indexes.sort((one, other) => {
    const a = keys.get(one);
    const b = keys.get(other);
    if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
    return (
      sign * (typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b)))
    );
  });
}

function keyOf(value: unknown): number | string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  const number = Number(value);
  return Number.isNaN(number) ? String(value) : number;
}

/** Rows of a table whose states are listed: more are results, not work. */
const statesRowsMax = 5000;

const stateOf = <R>(row: R, column: Column<R>): string =>
  String(column.value(row) ?? '').split(': ')[0] ?? '';

/** Lists the states of rows, without the reasons behind them. */
export function statesOf<R>(rows: Source<R>, column: Column<R>): string[] {
  if (rows.length > statesRowsMax) return [];
  const found = Array.from({ length: rows.length }, (_, at) => stateOf(rows.at(at) as R, column));
  return [...new Set(found)].filter((state) => state !== '').sort();
}

/** Returns the rows of a state. */
export function ofState<R>(rows: Source<R>, column: Column<R>, state: string): R[] {
  const all = Array.from({ length: rows.length }, (_, at) => rows.at(at) as R);
  return all.filter((row) => stateOf(row, column) === state);
}
