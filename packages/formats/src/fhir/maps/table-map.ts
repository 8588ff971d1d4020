import { hasWords, type Table } from '../../tables/index.ts';
import { date, type Extract, type Reading, span, type Value } from '../extract.ts';
import type { JsonObject } from '../json.ts';

/** Columns that every mapping fills itself: the subject of the row, and the resource as text. */
const given: ReadonlySet<string> = new Set(['patient_id', 'id', 'medication_id', 'data']);

/** Table with the readers of its columns, in the order of the catalogue. */
export interface TableMap {
  table: Table;
  extracts: readonly Extract[];
  /** Names of the columns of the mask `coded`, at the indexes of their extracts. */
  coded: readonly (string | undefined)[];
}

/** Binds a reader to each column of a table; a column without a reader, or a reader without a column, is an error of the code. */
export function bind(table: Table, readers: Record<string, Extract>): TableMap {
  const names = table.columns.map((column) => column.name).filter((name) => !given.has(name));
  const unknown = Object.keys(readers).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`The table ${table.name} has no column ${unknown}.`);
  const extracts = names.map((name) => {
    const reader = readers[name];
    if (reader === undefined) throw new Error(`The column ${table.name}.${name} has no reader.`);
    return reader;
  });
  const coded = names.map((name) =>
    table.columns.some((column) => column.name === name && column.mask === 'coded') ? name : undefined,
  );
  return { table, extracts, coded };
}

/** Builds the values of a row: the given leading ones, then those of the readers in `scope`, then `_words` of a table that has it. */
export function readRow(map: TableMap, leading: Value[], scope: JsonObject, reading: Reading): Value[] {
  const values = leading;
  const { extracts, coded } = map;
  let words = '';
  for (let at = 0; at < extracts.length; at += 1) {
    values.push((extracts[at] as Extract)(scope, reading));
    if (reading.isWords) words += wordsOf(coded[at], reading);
  }
  if (hasWords(map.table)) values.push(`,${words}`);
  return values;
}

/** Notes that a value is words: the name of its column, for `_words`. */
export function wordsOf(column: string | undefined, reading: Reading): string {
  reading.isWords = false;
  return column === undefined ? '' : `${column},`;
}

/** Reads the columns of a duration: both ends of one of the periods, else one of the days as the start. */
export function lasting(periods: string[], days: string[]): { start: Extract; end: Extract } {
  const [period, day] = [span(...periods), date(...days)];
  return {
    start: (scope, reading) => {
      const found = period(scope, reading);
      return found ? found.start : day(scope, reading);
    },
    end: (scope, reading) => period(scope, reading)?.end,
  };
}
