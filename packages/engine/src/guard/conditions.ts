import type { Condition, ConditionSource, TableConditions } from '../table-conditions.ts';
import { type TreeNode, walk } from './tree.ts';

/** Maximum list of values that is kept. */
const valuesMax = 1_000;

/**
 * Finds conditions that restrict which rows of its tables matter to a statement. Only parts of a WHERE that are joined by AND
 * count, on tables of its own FROM. Doubtful parts produce no condition.
 *
 * @param tables Name in lower case → its spelling.
 */
export function conditionsOf(
  tree: TreeNode,
  tables: ReadonlyMap<string, string>,
): TableConditions | undefined {
  const mentions: TreeNode[] = [];
  const found = new Map<TreeNode, Condition[]>();
  const named = new Set<string>();
  const selects: TreeNode[] = [];
  let samples = false;
  walk(tree, ({ node }) => {
    // A sample depends on all rows.
    if (node['sample']) samples = true;
    if (node['type'] === 'BASE_TABLE') mentions.push(node);
    for (const name of namedQueries(node)) named.add(name);
    if (node['type'] === 'SELECT_NODE') selects.push(node);
    return true;
  });
  if (samples) return undefined;
  // The name may be that of a WITH query somewhere.
  const known = new Map([...tables].filter(([written]) => !named.has(written)));
  for (const select of selects) for (const [leaf, own] of conditionsIn(select, known)) found.set(leaf, own);
  const conditions: TableConditions = {};
  for (const [written, places] of Map.groupBy(mentions, (node) => lower(node['table_name']))) {
    const table = known.get(written);
    const all = places.map((place) => found.get(place) ?? []);
    if (table === undefined || all.some(({ length }) => length === 0)) continue;
    conditions[table] = all;
  }
  return Object.keys(conditions).length > 0 ? conditions : undefined;
}

/** Returns the names of the WITH queries of a query, in lower case. */
function namedQueries(node: TreeNode): string[] {
  const map = (node['cte_map'] as TreeNode | undefined)?.['map'];
  const keys = Array.isArray(map) ? map.map((entry: TreeNode) => lower(entry['key'])) : [];
  return [...keys, ...(node['cte_name'] === undefined ? [] : [lower(node['cte_name'])])];
}

/** Returns the conditions of a SELECT on the tables of its FROM. */
function conditionsIn(select: TreeNode, tables: ReadonlyMap<string, string>): Map<TreeNode, Condition[]> {
  const found = new Map<TreeNode, Condition[]>();
  const [where, from] = [select['where_clause'], select['from_table']];
  if (!isNode(where) || !isNode(from)) return found;
  const all = leavesOf(from);
  const names = all.map(nameOf);
  if (names.includes('') || new Set(names).size < names.length) return found;
  const aliases = new Set((select['select_list'] as TreeNode[]).map((column) => lower(column['alias'])));
  const parts = conjunctsOf(where).flatMap((part) => comparisonOf(part) ?? membershipOf(part, tables) ?? []);
  for (const leaf of judgedLeaves(from)) {
    if (leaf['type'] !== 'BASE_TABLE' || (leaf['column_name_alias'] as unknown[]).length > 0) continue;
    const own = parts.flatMap(({ path: [first = '', second], condition }) => {
      if (second !== undefined) return first === nameOf(leaf) ? [{ ...condition, column: second }] : [];
      return all.length === 1 && !aliases.has(first) ? [{ ...condition, column: first }] : [];
    });
    found.set(leaf, own);
  }
  return found;
}

function leavesOf(from: TreeNode): TreeNode[] {
  if (from['type'] !== 'JOIN') return [from];
  return [...leavesOf(from['left'] as TreeNode), ...leavesOf(from['right'] as TreeNode)];
}

const plainJoins = new Set(['REGULAR', 'CROSS', 'NATURAL']);

/** Lists the relations of which WHERE sees a row whenever it has a match: none that is completed with NULL, or only searched. */
function judgedLeaves(from: TreeNode): TreeNode[] {
  if (from['type'] !== 'JOIN') return [from];
  if (!plainJoins.has(String(from['ref_type']))) return [];
  const left = (): TreeNode[] => judgedLeaves(from['left'] as TreeNode);
  if (from['join_type'] === 'INNER') return [...left(), ...judgedLeaves(from['right'] as TreeNode)];
  return from['join_type'] === 'LEFT' ? left() : [];
}

/** Returns the name that qualifies columns of a relation; empty without a known one. */
function nameOf(leaf: TreeNode): string {
  return lower(leaf['alias']) || (leaf['type'] === 'BASE_TABLE' ? lower(leaf['table_name']) : '');
}

function conjunctsOf(where: TreeNode): TreeNode[] {
  if (where['type'] !== 'CONJUNCTION_AND') return [where];
  return (where['children'] as TreeNode[]).flatMap(conjunctsOf);
}

interface Comparison {
  /** Names in a column reference: the column, or its table and it. */
  path: string[];
  condition: { among: string[] } | { from?: number; to?: number } | { of: ConditionSource };
}

const mirrored: Readonly<Record<string, string>> = {
  COMPARE_EQUAL: 'COMPARE_EQUAL',
  COMPARE_LESSTHAN: 'COMPARE_GREATERTHAN',
  COMPARE_LESSTHANOREQUALTO: 'COMPARE_GREATERTHANOREQUALTO',
  COMPARE_GREATERTHAN: 'COMPARE_LESSTHAN',
  COMPARE_GREATERTHANOREQUALTO: 'COMPARE_LESSTHANOREQUALTO',
};

/** Reads a comparison of a column with constants. */
function comparisonOf(node: TreeNode): Comparison | undefined {
  const type = String(node['type']);
  if (type === 'COMPARE_BETWEEN') return compared(node['input'], 'BETWEEN', [node['lower'], node['upper']]);
  if (type === 'COMPARE_IN') {
    const [column, ...values] = node['children'] as TreeNode[];
    return compared(column, 'COMPARE_EQUAL', values);
  }
  const mirror = mirrored[type];
  if (node['class'] !== 'COMPARISON' || mirror === undefined) return undefined;
  return compared(node['left'], type, [node['right']]) ?? compared(node['right'], mirror, [node['left']]);
}

/** Reads `column IN (SELECT column FROM table WHERE …)`, where the rows of that table matter by themselves. */
function membershipOf(node: TreeNode, tables: ReadonlyMap<string, string>): Comparison | undefined {
  const [column, select] = [node['child'], (node['subquery'] as TreeNode | undefined)?.['node']];
  const isMembership =
    node['type'] === 'SUBQUERY' &&
    node['subquery_type'] === 'ANY' &&
    node['comparison_type'] === 'COMPARE_EQUAL' &&
    isNode(column) &&
    column['type'] === 'COLUMN_REF' &&
    isNode(select) &&
    select['type'] === 'SELECT_NODE';
  if (!isMembership) return undefined;
  const [from, [selected, second]] = [select['from_table'], select['select_list'] as TreeNode[]];
  if (!isNode(from) || selected?.['type'] !== 'COLUMN_REF' || second !== undefined) return undefined;
  const table = from['type'] === 'BASE_TABLE' ? tables.get(lower(from['table_name'])) : undefined;
  const path = (column['column_names'] as unknown[]).map(lower);
  const inner = (selected['column_names'] as unknown[]).map(lower);
  const isOfTable = inner.length === 1 || (inner.length === 2 && inner[0] === nameOf(from));
  const renames = (from['column_name_alias'] as unknown[] | undefined) ?? [];
  if (table === undefined || path.length > 2 || !isOfTable || renames.length > 0) return undefined;
  const where = conditionsIn(select, tables).get(from) ?? [];
  return { path, condition: { of: { table, column: inner.at(-1) ?? '', where } } };
}

function compared(column: unknown, type: string, operands: unknown[]): Comparison | undefined {
  if (!isNode(column) || column['type'] !== 'COLUMN_REF') return undefined;
  const path = (column['column_names'] as unknown[]).map(lower);
  const values = operands.map(constantOf);
  if (path.length > 2 || values.length === 0 || values.length > valuesMax) return undefined;
  const numbers = values.filter((value) => typeof value === 'number');
  const texts = values.filter((value) => typeof value === 'string');
  if (texts.length === values.length && type === 'COMPARE_EQUAL')
    return { path, condition: { among: texts } };
  if (numbers.length < values.length) return undefined;
  const [least, greatest] = [Math.min(...numbers), Math.max(...numbers)];
  if (type === 'COMPARE_EQUAL') return { path, condition: { from: least, to: greatest } };
  // A range with exchanged ends is empty.
  if (type === 'BETWEEN') return { path, condition: { from: numbers[0] ?? 0, to: numbers[1] ?? 0 } };
  return { path, condition: type.startsWith('COMPARE_LESS') ? { to: greatest } : { from: least } };
}

const wholeTypes = new Set(['INTEGER', 'BIGINT']);

/** Returns the value of a string or a whole number; another constant is compared as another type. */
function constantOf(node: unknown): string | number | undefined {
  if (!isNode(node) || node['type'] !== 'VALUE_CONSTANT') return undefined;
  const { type, is_null, value } = node['value'] as { type: TreeNode; is_null: unknown; value: unknown };
  if (is_null !== false) return undefined;
  if (type['id'] === 'VARCHAR' && typeof value === 'string') return value;
  return wholeTypes.has(String(type['id'])) && Number.isSafeInteger(value) ? (value as number) : undefined;
}

const lower = (value: unknown): string => String(value ?? '').toLowerCase();

const isNode = (value: unknown): value is TreeNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
