import { hasWords, indexColumn, type Table } from '../../tables/index.ts';
import { date, type Extract, objects, type Reading, span, type Value } from '../extract.ts';
import type { JsonObject } from '../json.ts';

/** Columns that every mapping fills itself: the subject of the row, and the resource as text. */
const given: ReadonlySet<string> = new Set(['patient_id', 'id', 'medication_id', 'data']);

/** Table with the readers of its columns, in the order of the catalogue. */
export interface TableMap {
  table: Table;
  extracts: readonly Extract[];
  /** Names of the columns of the mask `coded`, at the indexes of their extracts. */
  coded: readonly (string | undefined)[];
  /** Position in a row of the index of its element; -1 in tables with a row for each resource. */
  indexPosition: number;
}

/** Binds a reader to each column of a table; a column without a reader, or a reader without a column, is an error of the code. */
export function bind(table: Table, readers: Record<string, Extract>): TableMap {
  const names = table.columns.map((column) => column.name).filter((name) => !given.has(name));
  const unknown = Object.keys(readers).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`The table ${table.name} has no column ${unknown}.`);
  const index = indexColumn(table);
  const extracts = names.map((name) => {
    const reader = name === index ? () => undefined : readers[name];
    if (reader === undefined) throw new Error(`The column ${table.name}.${name} has no reader.`);
    return reader;
  });
  const coded = names.map((name) =>
    table.columns.some((column) => column.name === name && column.mask === 'coded') ? name : undefined,
  );
  const positions = table.columns.map(({ name }) => name).filter((name) => name !== 'data');
  const indexPosition = positions.indexOf(index ?? '');
  if (index !== undefined && indexPosition < 0) throw new Error(`The table ${table.name} has no ${index}.`);
  return { table, extracts, coded, indexPosition };
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

/** Chooses the elements of a list that columns are about: one, or several that belong together in FHIR. */
export type Choice = (elements: JsonObject[], scope: JsonObject) => JsonObject[];

/** Chooses the first of those that pass the tests. A test counts among those that passed the ones before it, if any passes. */
export function preferring(...tests: ((element: JsonObject) => boolean)[]): Choice {
  return (elements) => {
    let left = elements;
    for (const test of tests) {
      const passing = left.filter(test);
      if (passing.length > 0) left = passing;
    }
    return left.slice(0, 1);
  };
}

/** Lists of which a group of columns has some elements. */
export const groupedLists = new Set<string>();

/** Binds columns that describe one thing to what `choose` chooses of a list. How many others there are is reported. */
export function group<Name extends string>(
  list: string,
  choose: Choice,
  columns: Record<Name, Extract>,
): Record<Name, Extract> {
  groupedLists.add(list);
  // The columns of a row are read one after the other.
  let last: JsonObject | undefined;
  let narrowed: JsonObject = {};
  const narrow = (scope: JsonObject, reading: Reading): JsonObject => {
    const elements = scope[list];
    if (!Array.isArray(elements) || elements.length === 0) return scope;
    if (scope === last) return narrowed;
    const found = objects(scope, list, reading);
    const chosen = choose(found, scope);
    if (chosen.length < found.length) reading.further(list, found.length - chosen.length);
    last = scope;
    narrowed = chosen.length === elements.length ? scope : { ...scope, [list]: chosen };
    return narrowed;
  };
  const bound = Object.entries<Extract>(columns).map(([name, extract]): [string, Extract] => [
    name,
    (scope, reading) => extract(narrow(scope, reading), reading),
  ]);
  return Object.fromEntries(bound) as Record<Name, Extract>;
}

/** Columns of what may last: both ends of one of the periods, else one of the days as the start. */
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
