import type { Comparison, Json, Rule, SingleComparison } from '@ploidy/policy';
import { conditionsOf } from '@ploidy/policy';
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
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
export function listFilter(
  caller: Caller,
  account: string,
  anyOf: Privilege[],
  attributes: AttributeColumns,
): Expression<SqlBool> {
  const access = caller.accounts.get(account);
  const alternatives: Rule[] = [];
  for (const privilege of anyOf) {
    const conditions = access ? conditionsOf(access.policy, privilege) : false;
    if (conditions === true) return always;
    if (conditions === false) continue;
    for (const rule of conditions) alternatives.push(rule);
  }
  return oneOf(joinedValues(alternatives).map((rule) => ruleToSql(rule, attributes)));
}

/**
 * Values of these attributes of which a thing must have one for `listFilter` to show it: whoever lists may look there and nowhere
 * else. `undefined` where a rule asks for none of them.
 */
export function boundsOf<Path extends string>(
  caller: Caller,
  account: string,
  privilege: Privilege,
  paths: readonly Path[],
): Record<Path, string[]> | undefined {
  const access = caller.accounts.get(account);
  const conditions = access ? conditionsOf(access.policy, privilege) : false;
  if (conditions === true) return undefined;
  const bounds = Object.fromEntries(paths.map((path) => [path, new Set()])) as Record<Path, Set<string>>;
  for (const rule of conditions || []) {
    const bound = paths.map((path) => ({ path, values: boundIn(rule, path) })).find((one) => one.values);
    if (bound?.values === undefined) return undefined;
    for (const value of bound.values) if (typeof value === 'string') bounds[bound.path].add(value);
  }
  return Object.fromEntries(paths.map((path) => [path, [...bounds[path]]])) as Record<Path, string[]>;
}

function boundIn(rule: Rule, path: string): Json[] | undefined {
  const comparison = rule[path];
  if (comparison === undefined) return undefined;
  const all = typeof comparison === 'object' && comparison.comparison === 'all';
  return (all ? comparison.of : [comparison]).map(acceptedValues).find((values) => values !== undefined);
}

const always = sql<SqlBool>`1 = 1`;
const never = sql<SqlBool>`1 = 0`;
/** Longer lists go to the store as one parameter; it takes only so many. */
const listMax = 1000;
/** Between the values of such a list: no attribute of a thing holds a control character. */
const separator = '\u001f';

/** Rules that only ask one attribute to be this or that value become one list of values, as in the compiled policy. */
function joinedValues(rules: readonly Rule[]): Rule[] {
  const accepted = new Map<string, Json[]>();
  const others: Rule[] = [];
  for (const rule of rules) {
    const [[path, comparison] = ['', false], second] = Object.entries(rule);
    const values = second === undefined ? acceptedValues(comparison) : undefined;
    const before = accepted.get(path);
    if (values === undefined) others.push(rule);
    else if (before === undefined) accepted.set(path, values.slice());
    else for (const value of values) before.push(value);
  }
  for (const [path, value] of accepted) others.unshift({ [path]: { comparison: 'in', value } });
  return others;
}

function acceptedValues(comparison: Comparison | boolean): Json[] | undefined {
  if (typeof comparison === 'boolean' || !('value' in comparison)) return undefined;
  if (comparison.comparison === 'equals') return [comparison.value];
  return comparison.comparison === 'in' && Array.isArray(comparison.value) ? comparison.value : undefined;
}

/** Joined in halves: SQLite takes expressions a thousand levels deep, and a chain of ORs has a level for each. */
function oneOf(parts: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  const [only = never, second] = parts;
  if (second === undefined) return only;
  const half = Math.ceil(parts.length / 2);
  return sql<SqlBool>`(${oneOf(parts.slice(0, half))} OR ${oneOf(parts.slice(half))})`;
}

function allOf(parts: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.join(parts, sql` AND `)})`;
}

function ruleToSql(rule: Rule, attributes: AttributeColumns): RawBuilder<SqlBool> {
  return allOf(
    Object.entries(rule).map(([path, comparison]) => {
      if (typeof comparison === 'boolean') return comparison ? always : never;
      const singles = comparison.comparison === 'all' ? comparison.of : [comparison];
      return allOf(singles.map((single) => comparisonToSql(path, single, attributes)));
    }),
  );
}

/** What a path leads to: a text or nothing, or the thing as a whole. */
type Operand = RawBuilder<string | null> | 'whole' | undefined;

function operandOf(path: string, { constants, columns }: AttributeColumns): Operand {
  if (path === 'resource') return 'whole';
  const constant = constants[path];
  if (Object.hasOwn(constants, path) && constant !== undefined) return text(constant);
  const column = columns[path];
  return Object.hasOwn(columns, path) && column !== undefined ? sql`${column}` : undefined;
}

/** Says that it is a text: PostgreSQL cannot tell from a parameter alone. */
const text = (value: string): RawBuilder<string> => sql<string>`cast(${value} as text)`;

/** Attributes of things are texts or absent, so comparisons that want lists never hold (`includes`, `superset`, …). */
function comparisonToSql(
  path: string,
  single: SingleComparison,
  attributes: AttributeColumns,
): RawBuilder<SqlBool> {
  const left = operandOf(path, attributes);
  if (left === undefined) return never;
  if (single.comparison === 'exists') return left === 'whole' ? always : sql<SqlBool>`${left} IS NOT NULL`;
  if ('target' in single)
    return targetComparison(single.comparison, left, operandOf(single.target, attributes));
  if (left === 'whole') return wholeComparison(single.comparison, single.value);
  const { comparison, value } = single;
  if (comparison === 'in' || comparison === 'notIn') return listComparison(comparison, left, value);
  if (typeof value !== 'string') {
    // A text never equals another type, so it always differs from it, provided that it is there.
    return comparison === 'notEquals' ? sql<SqlBool>`${left} IS NOT NULL` : never;
  }
  return textComparison(comparison, left, text(value));
}

function targetComparison(
  name: string,
  left: Exclude<Operand, undefined>,
  right: Operand,
): RawBuilder<SqlBool> {
  if (right === undefined) return never;
  if (left !== 'whole' && right !== 'whole') return textComparison(name, left, right);
  if (left === right) return name === 'equals' ? always : never;
  const other = left === 'whole' ? right : left;
  return name === 'notEquals' && other !== 'whole' ? sql<SqlBool>`${other} IS NOT NULL` : never;
}

/** The thing as a whole differs from everything that is no object; what an object would have to hold is not looked into. */
function wholeComparison(name: string, value: Json): RawBuilder<SqlBool> {
  const isObject = (one: Json): boolean => typeof one === 'object' && one !== null && !Array.isArray(one);
  if (name === 'notEquals') return isObject(value) ? never : always;
  return name === 'notIn' && Array.isArray(value) && !value.some(isObject) ? always : never;
}

function listComparison(
  name: 'in' | 'notIn',
  left: RawBuilder<string | null>,
  value: Json,
): RawBuilder<SqlBool> {
  if (!Array.isArray(value)) return never;
  const texts = value.filter((entry): entry is string => typeof entry === 'string');
  if (texts.length === 0) return name === 'in' ? never : sql<SqlBool>`${left} IS NOT NULL`;
  if (texts.length > listMax) return longListComparison(name, left, texts);
  const list = sql.join(texts.map(text));
  return name === 'in' ? sql<SqlBool>`${left} IN (${list})` : sql<SqlBool>`${left} NOT IN (${list})`;
}

/** In the list: taking it out of the list changes the list. The one way of searching that both stores have. */
function longListComparison(
  name: 'in' | 'notIn',
  left: RawBuilder<string | null>,
  texts: readonly string[],
): RawBuilder<SqlBool> {
  const possible = texts.filter((one) => !one.includes(separator));
  const list = text(`${separator}${possible.join(separator)}${separator}`);
  const between = text(separator);
  const without = sql`replace(${list}, ${between} || ${left} || ${between}, '')`;
  return name === 'in' ? sql<SqlBool>`${without} <> ${list}` : sql<SqlBool>`${without} = ${list}`;
}

function textComparison(
  name: string,
  left: RawBuilder<string | null>,
  right: RawBuilder<string | null>,
): RawBuilder<SqlBool> {
  switch (name) {
    case 'equals':
      return sql<SqlBool>`${left} = ${right}`;
    case 'notEquals':
      return sql<SqlBool>`${left} <> ${right}`;
    case 'startsWith':
      return startsWith(left, right);
    case 'prefixOf':
      return startsWith(right, left);
    case 'endsWith':
      return endsWith(left, right);
    case 'suffixOf':
      return endsWith(right, left);
    default:
      return never;
  }
}

function startsWith(whole: RawBuilder<string | null>, start: RawBuilder<string | null>): RawBuilder<SqlBool> {
  return sql<SqlBool>`substr(${whole}, 1, length(${start})) = ${start}`;
}

function endsWith(whole: RawBuilder<string | null>, end: RawBuilder<string | null>): RawBuilder<SqlBool> {
  return sql<SqlBool>`(length(${whole}) >= length(${end}) AND substr(${whole}, length(${whole}) - length(${end}) + 1) = ${end})`;
}
