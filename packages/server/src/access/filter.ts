import type { Comparison, Rule } from '@ploidy/policy';
import { conditionsOf } from '@ploidy/policy';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Caller } from './caller.ts';
import type { Privilege } from './operations.ts';

/** Which column holds which attribute of a listed thing, and which attributes are the same for all of them. */
export interface AttributeColumns {
  columns: Record<string, Expression<string | null>>;
  constants: Record<string, string>;
}

/**
 * The reduced policy as a predicate: lists show exactly what `caller.allows` would allow, decided inside the query, so
 * that counts, pages and tokens know of nothing else.
 */
export function listFilter<DB, TB extends keyof DB>(
  builder: ExpressionBuilder<DB, TB>,
  caller: Caller,
  account: string,
  anyOf: Privilege[],
  attributes: AttributeColumns,
): Expression<SqlBool> {
  const access = caller.accounts.get(account);
  const alternatives: Expression<SqlBool>[] = [];
  for (const privilege of anyOf) {
    const conditions = access ? conditionsOf(access.policy, privilege) : false;
    if (conditions === true) return sql<SqlBool>`1 = 1`;
    if (conditions === false) continue;
    alternatives.push(...conditions.map((rule) => ruleToSql(builder, rule, attributes)));
  }
  return alternatives.length === 0 ? sql<SqlBool>`1 = 0` : builder.or(alternatives);
}

function ruleToSql<DB, TB extends keyof DB>(
  builder: ExpressionBuilder<DB, TB>,
  rule: Rule,
  attributes: AttributeColumns,
): Expression<SqlBool> {
  const parts = Object.entries(rule).map(([path, comparison]) =>
    comparisonToSql(path, comparison, attributes),
  );
  return builder.and(parts);
}

function operandOf(path: string, attributes: AttributeColumns): Expression<string | null> | undefined {
  const constant = attributes.constants[path];
  if (Object.hasOwn(attributes.constants, path) && constant !== undefined) return sql<string>`${constant}`;
  return Object.hasOwn(attributes.columns, path) ? attributes.columns[path] : undefined;
}

const never = sql<SqlBool>`1 = 0`;

/** Attributes of things are texts or absent, so comparisons that want lists never hold (`includes`, `superset`, …). */
function comparisonToSql(
  path: string,
  comparison: Comparison | boolean,
  attributes: AttributeColumns,
): Expression<SqlBool> {
  if (typeof comparison === 'boolean') return comparison ? sql<SqlBool>`1 = 1` : never;
  if (comparison.comparison === 'all') {
    const parts = comparison.of.map((one) => comparisonToSql(path, one, attributes));
    return sql<SqlBool>`(${sql.join(parts, sql` AND `)})`;
  }
  const left = operandOf(path, attributes);
  if (!left) return never;
  if (comparison.comparison === 'exists') return sql<SqlBool>`${left} IS NOT NULL`;
  if ('target' in comparison && comparison.target !== undefined) {
    const right = operandOf(comparison.target, attributes);
    return right ? textComparison(comparison.comparison, left, right) : never;
  }
  const value = 'value' in comparison ? comparison.value : undefined;
  if (comparison.comparison === 'in' || comparison.comparison === 'notIn') {
    return listComparison(comparison.comparison, left, value);
  }
  if (typeof value !== 'string') {
    // A text never equals another type, so it always differs from it, provided that it is there.
    return comparison.comparison === 'notEquals' ? sql<SqlBool>`${left} IS NOT NULL` : never;
  }
  return textComparison(comparison.comparison, left, sql<string>`${value}`);
}

function listComparison(
  name: 'in' | 'notIn',
  left: Expression<unknown>,
  value: unknown,
): Expression<SqlBool> {
  if (!Array.isArray(value)) return never;
  const texts = value.filter((entry): entry is string => typeof entry === 'string');
  if (texts.length === 0) return name === 'in' ? never : sql<SqlBool>`${left} IS NOT NULL`;
  const list = sql.join(texts.map((text) => sql`${text}`));
  return name === 'in' ? sql<SqlBool>`${left} IN (${list})` : sql<SqlBool>`${left} NOT IN (${list})`;
}

function textComparison(
  name: string,
  left: Expression<unknown>,
  right: Expression<unknown>,
): Expression<SqlBool> {
  switch (name) {
    case 'equals':
      return sql<SqlBool>`${left} = ${right}`;
    case 'notEquals':
      return sql<SqlBool>`${left} <> ${right}`;
    case 'startsWith':
      return sql<SqlBool>`substr(${left}, 1, length(${right})) = ${right}`;
    case 'prefixOf':
      return sql<SqlBool>`substr(${right}, 1, length(${left})) = ${left}`;
    case 'endsWith':
      return endsWith(left, right);
    case 'suffixOf':
      return endsWith(right, left);
    default:
      return never;
  }
}

const endsWith = (text: Expression<unknown>, end: Expression<unknown>): Expression<SqlBool> =>
  sql<SqlBool>`(length(${text}) >= length(${end}) AND substr(${text}, length(${text}) - length(${end}) + 1) = ${end})`;
