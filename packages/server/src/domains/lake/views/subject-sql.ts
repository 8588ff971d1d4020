import { literal } from '@ploidy/engine';
import type { Json, Operator, SingleComparison } from '@ploidy/policy';
import { isPossibleId, type Rows } from '../../../access/rows.ts';

/**
 * Translates the tests of `rows` to SQL over a patient id column: true where `caller.allows` would allow with
 * that `resource.subject`, else false or NULL. Ids are strings: a test against another type never holds.
 */
export function subjectCondition(rows: Rows, column: string): string {
  if (typeof rows === 'boolean') return String(rows);
  const tests = rows.map((test) => allOf(test.map((single) => comparison(single, column))));
  return `(${tests.join(' OR ')})`;
}

const never = 'false';

const allOf = (parts: readonly string[]): string => `(${parts.join(' AND ')})`;

function comparison(single: SingleComparison, column: string): string {
  if (single.comparison === 'exists') return `${column} IS NOT NULL`;
  return 'value' in single ? comparisons[single.comparison](column, single.value) : never;
}

type Printer = (column: string, value: Json) => string;

/** An id is no list: nothing that needs a list on its side holds. */
const needsList: Printer = () => never;

const comparisons = {
  equals: (column, value) => listed(column, [value]),
  notEquals: (column, value) => unlisted(column, [value]),
  includes: needsList,
  notIncludes: needsList,
  in: (column, value) => (Array.isArray(value) ? listed(column, value) : never),
  notIn: (column, value) => (Array.isArray(value) ? unlisted(column, value) : never),
  superset: needsList,
  subset: needsList,
  startsWith: (column, value) => compared('starts_with', column, value),
  endsWith: (column, value) => compared('ends_with', column, value),
  prefixOf: (column, value) => comparedWith('starts_with', value, column),
  suffixOf: (column, value) => comparedWith('ends_with', value, column),
} satisfies Record<Operator, Printer>;

function unlisted(column: string, values: readonly Json[]): string {
  return `(${column} IS NOT NULL AND NOT ${listed(column, values)})`;
}

/** Omits strings that cannot be ids. */
function listed(column: string, values: readonly Json[]): string {
  const ids = values.filter((value) => typeof value === 'string').filter(isPossibleId);
  return ids.length === 0 ? never : `${column} IN (${ids.map(literal).join(', ')})`;
}

function compared(name: string, column: string, value: Json): string {
  return typeof value === 'string' && isPossibleId(value) ? `${name}(${column}, ${literal(value)})` : never;
}

function comparedWith(name: string, value: Json, column: string): string {
  return typeof value === 'string' && isPossibleId(value) ? `${name}(${literal(value)}, ${column})` : never;
}
