import type { Json, Operator } from '@ploidy/policy';
import { isPossibleId, type Rows, type SubjectTest } from './rows.ts';

/** Condition on the id of a patient that names no finite list. */
type Condition =
  | { is: 'notIn'; values: readonly string[] }
  | { is: 'startsWith' | 'endsWith' | 'prefixOf' | 'suffixOf'; value: string };

/**
 * Rows in a canonical form: `true` for all; else those of the listed patients, and of each patient who meets all
 * conditions of one of the tests. An empty test is met by every patient, but not by a row without a patient.
 */
export type RowSet = true | { ids: readonly string[]; tests: readonly (readonly Condition[])[] };

const none: RowSet = { ids: [], tests: [] };
/** Sets of rows that are known, since lists of patients are long and asked about often. */
const sets = new WeakMap<readonly SubjectTest[], RowSet>();
const lookUps = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Returns the canonical form, equal for rows whose tests and values differ in order only. */
export function rowSetOf(rows: Rows): RowSet {
  if (typeof rows === 'boolean') return rows || none;
  const set = sets.get(rows) ?? canonical(rows);
  sets.set(rows, set);
  return set;
}

function canonical(rows: readonly SubjectTest[]): RowSet {
  const ids = new Set<string>();
  const tests = new Map<string, readonly Condition[]>();
  for (const test of rows) {
    const { listed, conditions } = split(test);
    if (listed) for (const id of listed.filter((one) => meets(conditions, one))) ids.add(id);
    else if (conditions) tests.set(JSON.stringify(conditions), conditions);
  }
  const kept = [...tests].sort(byText).map(([, conditions]) => conditions);
  const others = [...ids].filter((id) => !kept.some((conditions) => meets(conditions, id)));
  return { ids: others.sort(), tests: kept };
}

export const isEmpty = (set: RowSet): boolean =>
  set !== true && set.ids.length === 0 && set.tests.length === 0;

/** Returns the rows of two sets; its form is not canonical. */
export function unionOf(one: RowSet, other: RowSet): RowSet {
  if (one === true || other === true) return true;
  return { ids: [...one.ids, ...other.ids], tests: [...one.tests, ...other.tests] };
}

/** Reports whether every row of one set is surely in another; false where that cannot be decided. */
export function isWithin(inner: RowSet, outer: RowSet): boolean {
  if (outer === true) return true;
  if (inner === true) return false;
  const listed = lookUps.get(outer.ids) ?? new Set(outer.ids);
  lookUps.set(outer.ids, listed);
  return (
    inner.ids.every((id) => listed.has(id) || outer.tests.some((conditions) => meets(conditions, id))) &&
    inner.tests.every((conditions) => outer.tests.some((wider) => implies(conditions, wider)))
  );
}

/** Reports whether all conditions of the wider test follow from those of another. */
const implies = (conditions: readonly Condition[], wider: readonly Condition[]): boolean =>
  wider.every((one) => conditions.some((condition) => follows(condition, one)));

function follows(from: Condition, what: Condition): boolean {
  if (from.is === 'notIn') return what.is === 'notIn' && what.values.every((id) => from.values.includes(id));
  if (what.is === 'notIn') return what.values.every((id) => !meets([from], id));
  if (from.is !== what.is) return false;
  if (from.is === 'startsWith') return from.value.startsWith(what.value);
  return from.is === 'endsWith' ? from.value.endsWith(what.value) : from.value === what.value;
}

/** Returns whether a patient meets all conditions; false without any conditions. */
function meets(conditions: readonly Condition[] | undefined, id: string): boolean {
  return conditions?.every((condition) => holds(condition, id)) ?? false;
}

function holds(condition: Condition, id: string): boolean {
  switch (condition.is) {
    case 'notIn':
      return !condition.values.includes(id);
    case 'startsWith':
      return id.startsWith(condition.value);
    case 'endsWith':
      return id.endsWith(condition.value);
    case 'prefixOf':
      return condition.value.startsWith(id);
    case 'suffixOf':
      return condition.value.endsWith(id);
  }
}

/** Demand of a comparison on a patient id: one of a list, none of a list, or another condition; undefined: never met. */
type Demand = { listed: string[] } | { excluded: string[] } | Condition | undefined;

/** Splits a test into the patients that it lists, if it does, and its other conditions; undefined: never met. */
function split(test: SubjectTest): { listed?: string[]; conditions: readonly Condition[] | undefined } {
  let listed: string[] | undefined;
  const excluded = new Set<string>();
  const conditions: Condition[] = [];
  for (const single of test) {
    if (single.comparison === 'exists') continue;
    const demand = 'value' in single ? demands[single.comparison](single.value) : undefined;
    if (demand === undefined) return { conditions: undefined };
    if ('excluded' in demand) for (const id of demand.excluded) excluded.add(id);
    else if ('is' in demand) conditions.push(demand);
    else listed = listed?.filter((id) => demand.listed.includes(id)) ?? demand.listed;
  }
  if (excluded.size > 0) conditions.push({ is: 'notIn', values: [...excluded].sort() });
  const sorted = new Map(conditions.map((condition) => [JSON.stringify(condition), condition]));
  return {
    ...(listed && { listed }),
    conditions: [...sorted].sort(byText).map(([, condition]) => condition),
  };
}

/** An id is no list: what needs one on its side is never met. */
const needsList = (): undefined => undefined;

const affix =
  (is: 'startsWith' | 'endsWith' | 'prefixOf' | 'suffixOf') =>
  (value: Json): Demand => {
    const [text] = strings([value]);
    return text === undefined ? undefined : { is, value: text };
  };

const demands = {
  equals: (value) => ({ listed: strings([value]) }),
  notEquals: (value) => ({ excluded: strings([value]) }),
  includes: needsList,
  notIncludes: needsList,
  in: (value) => (Array.isArray(value) ? { listed: strings(value) } : undefined),
  notIn: (value) => (Array.isArray(value) ? { excluded: strings(value) } : undefined),
  superset: needsList,
  subset: needsList,
  startsWith: affix('startsWith'),
  endsWith: affix('endsWith'),
  prefixOf: affix('prefixOf'),
  suffixOf: affix('suffixOf'),
} satisfies Record<Operator, (value: Json) => Demand>;

/** Keeps the texts that a patient id can be compared with; SQL shows no row for others. */
const strings = (values: readonly Json[]): string[] =>
  values.filter((value) => typeof value === 'string').filter(isPossibleId);

const byText = ([one]: [string, unknown], [other]: [string, unknown]): number => (one < other ? -1 : 1);
