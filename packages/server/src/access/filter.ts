import type { Comparison, Json, Operator, Rule, SingleComparison } from '@ploidy/policy';
import { conditionsOf } from '@ploidy/policy';
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Caller } from './caller.ts';
import { acceptedValues, groupedRules, type KeyList, separator } from './key-lists.ts';
import type { Privilege } from './operations.ts';

/** Columns of the attributes of listed resources, and the attributes that all of them share. */
interface AttributeColumns {
  columns: Record<string, Expression<string | null>>;
  constants: Record<string, string>;
}

/**
 * Translates the reduced policy into an SQL predicate. Lists show exactly what `caller.allows` allows,
 * decided in the query, so that counts, pages and tokens reveal nothing else.
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
  return oneOfRules(alternatives, attributes);
}

/** Translates rules into a predicate that holds where one of them does. */
export function oneOfRules(rules: readonly Rule[], attributes: AttributeColumns): Expression<SqlBool> {
  const { lists, others } = groupedRules(rules);
  return oneOf([
    ...lists.map((list) => keysToSql(list, attributes)),
    ...others.map((rule) => ruleToSql(rule, attributes)),
  ]);
}

/**
 * Counts the conditions in the SQL of lists under these rules. Planning time grows with their square: 1,000
 * take 0.1 s. A list of values counts once.
 */
export function listConditions(rules: readonly Rule[]): number {
  const { lists, others } = groupedRules(rules);
  const ofRule = (rule: Rule): number =>
    Object.values(rule).reduce((sum, one) => sum + (typeof one === 'boolean' ? 1 : groupsOf(one).length), 0);
  return others.reduce((sum, rule) => sum + ofRule(rule), lists.length);
}

/**
 * Returns values of which every resource that `listFilter` shows must have one. `undefined` if a rule does
 * not restrict these attributes.
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

/** Compares a column in SQL with texts that are sent as one parameter. */
export const isNoneOf = (column: Expression<string>, texts: readonly string[]): Expression<SqlBool> =>
  sql<SqlBool>`NOT ${isAmong(sql`${column}`, texts)}`;

const always = sql<SqlBool>`1 = 1`;
const never = sql<SqlBool>`1 = 0`;
function keysToSql({ paths, keys }: KeyList, attributes: AttributeColumns): RawBuilder<SqlBool> {
  const operands: RawBuilder<string | null>[] = [];
  for (const path of paths) {
    const operand = operandOf(path, attributes);
    if (operand === undefined || operand === 'whole') return never;
    operands.push(operand);
  }
  const key = sql<string | null>`${sql.join(operands, sql` || ${text(separator)} || `)}`;
  return isAmong(operands.length === 1 ? (operands[0] as typeof key) : key, [...keys]);
}

/** Joins in halves: SQLite limits expressions to 1,000 levels, and a chain of ORs has a level for each. */
function oneOf(conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  const [only = never, second] = conditions;
  if (second === undefined) return only;
  const half = Math.ceil(conditions.length / 2);
  return sql<SqlBool>`(${oneOf(conditions.slice(0, half))} OR ${oneOf(conditions.slice(half))})`;
}

function allOf(conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`;
}

function ruleToSql(rule: Rule, attributes: AttributeColumns): RawBuilder<SqlBool> {
  return allOf(
    Object.entries(rule).map(([path, comparison]) => {
      if (typeof comparison === 'boolean') return comparison ? always : never;
      return allOf(groupsOf(comparison).map((group) => groupToSql(path, group, attributes)));
    }),
  );
}

/** Comparisons of one attribute that share a condition: several prefixes or suffixes. */
type Group = SingleComparison | { comparison: 'startsWith' | 'endsWith'; values: string[] };

function groupsOf(comparison: Comparison): Group[] {
  const singles = comparison.comparison === 'all' ? comparison.of : [comparison];
  const others: Group[] = [];
  const lists = { startsWith: new Set<string>(), endsWith: new Set<string>() };
  for (const single of singles) {
    const { comparison: name } = single;
    const isListed = (name === 'startsWith' || name === 'endsWith') && 'value' in single;
    if (isListed && typeof single.value === 'string') lists[name].add(single.value);
    else others.push(single);
  }
  for (const name of ['startsWith', 'endsWith'] as const)
    if (lists[name].size > 0) others.push({ comparison: name, values: [...lists[name]] });
  return others;
}

function groupToSql(path: string, group: Group, attributes: AttributeColumns): RawBuilder<SqlBool> {
  if (!('values' in group)) return comparisonToSql(path, group, attributes);
  const left = operandOf(path, attributes);
  if (left === undefined || left === 'whole') return never;
  const compare = group.comparison === 'startsWith' ? startsWith : endsWith;
  const [only = '', second] = group.values;
  if (second === undefined) return compare(left, text(only));
  const key = sql<string>`each.text`;
  return sql<SqlBool>`(${left} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${keyRows(group.values)} AS each WHERE NOT ${compare(left, key)}))`;
}

/** SQL operand of a path: a string, nothing, or the whole resource. */
type Operand = RawBuilder<string | null> | 'whole' | undefined;

function operandOf(path: string, { constants, columns }: AttributeColumns): Operand {
  if (path === 'resource') return 'whole';
  const constant = constants[path];
  if (Object.hasOwn(constants, path) && constant !== undefined) return text(constant);
  const column = columns[path];
  return Object.hasOwn(columns, path) && column !== undefined ? sql`${column}` : undefined;
}

/** Casts a parameter to text: PostgreSQL cannot infer its type. */
const text = (value: string): RawBuilder<string> => sql<string>`cast(${value} as text)`;

/**
 * Translates one comparison. Attributes are strings or absent, so list comparisons (`includes`, `superset`,
 * …) never hold.
 */
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
    // A string never equals another type, so it always differs, provided that it is present.
    return comparison === 'notEquals' ? sql<SqlBool>`${left} IS NOT NULL` : never;
  }
  return textComparisons[comparison](left, text(value));
}

function targetComparison(
  name: Operator,
  left: Exclude<Operand, undefined>,
  right: Operand,
): RawBuilder<SqlBool> {
  if (right === undefined) return never;
  if (left !== 'whole' && right !== 'whole') return textComparisons[name](left, right);
  if (left === right) return name === 'equals' ? always : never;
  const other = left === 'whole' ? right : left;
  return name === 'notEquals' && other !== 'whole' ? sql<SqlBool>`${other} IS NOT NULL` : never;
}

/** Compares the whole resource: it differs from every value but objects, whose fields are not examined. */
function wholeComparison(name: Operator, value: Json): RawBuilder<SqlBool> {
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
  return name === 'in' ? isAmong(left, texts) : sql<SqlBool>`NOT ${isAmong(left, texts)}`;
}

function isAmong(left: RawBuilder<string | null>, texts: readonly string[]): RawBuilder<SqlBool> {
  const [only = '', second] = texts;
  if (texts.length === 0) return never;
  if (second === undefined) return sql<SqlBool>`(${left} = ${text(only)})`;
  return sql<SqlBool>`(${left} IN (SELECT each.text FROM ${keyRows(texts)} AS each))`;
}

/**
 * Turns strings into rows with a column `text` alone, from one JSON parameter. Stores limit the number of parameters and search
 * lists of them linearly. In SQLite `json_each` has a column `id`, which would hide that of the resource.
 */
function keyRows(texts: readonly string[]): RawBuilder<unknown> {
  // PostgreSQL accepts neither NUL nor lone surrogates, and no attribute has them.
  const possible = texts.filter((one) => !one.includes('\0') && one.isWellFormed());
  const json = JSON.stringify(Object.fromEntries(possible.map((one) => [one, 0])));
  return sql`(SELECT listed.key AS text FROM json_each(${json}) AS listed)`;
}

type TextComparison = (
  left: RawBuilder<string | null>,
  right: RawBuilder<string | null>,
) => RawBuilder<SqlBool>;

/** A string is no list: nothing that needs a list on one of its sides holds. */
const needsList: TextComparison = () => never;

const textComparisons = {
  equals: (left, right) => sql<SqlBool>`${left} = ${right}`,
  notEquals: (left, right) => sql<SqlBool>`${left} <> ${right}`,
  includes: needsList,
  notIncludes: needsList,
  in: needsList,
  notIn: needsList,
  superset: needsList,
  subset: needsList,
  startsWith,
  prefixOf: (left, right) => startsWith(right, left),
  endsWith,
  suffixOf: (left, right) => endsWith(right, left),
} satisfies Record<Operator, TextComparison>;

function startsWith(whole: RawBuilder<string | null>, start: RawBuilder<string | null>): RawBuilder<SqlBool> {
  return sql<SqlBool>`substr(${whole}, 1, length(${start})) = ${start}`;
}

function endsWith(whole: RawBuilder<string | null>, end: RawBuilder<string | null>): RawBuilder<SqlBool> {
  return sql<SqlBool>`(length(${whole}) >= length(${end}) AND substr(${whole}, length(${whole}) - length(${end}) + 1) = ${end})`;
}
