import { literal } from '@ploidy/engine';
import type { Json, SingleComparison } from '@ploidy/policy';
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
  const isThere = `${column} IS NOT NULL`;
  if (single.comparison === 'exists') return isThere;
  if (!('value' in single)) return never;
  const { value } = single;
  switch (single.comparison) {
    case 'equals':
      return listed(column, [value]);
    case 'in':
      return Array.isArray(value) ? listed(column, value) : never;
    case 'notEquals':
      return `(${isThere} AND NOT ${listed(column, [value])})`;
    case 'notIn':
      return Array.isArray(value) ? `(${isThere} AND NOT ${listed(column, value)})` : never;
    case 'startsWith':
      return compared('starts_with', column, value);
    case 'endsWith':
      return compared('ends_with', column, value);
    case 'prefixOf':
      return comparedWith('starts_with', value, column);
    case 'suffixOf':
      return comparedWith('ends_with', value, column);
    default:
      return never;
  }
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
