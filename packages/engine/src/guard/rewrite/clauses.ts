import { Refusal } from '../refusal.ts';
import { constantOf, printTree, readTree, type TreeNode, walk } from '../tree.ts';
import { call, column, lambda } from './lambda-functions.ts';

/** Maximum characters of the tree that may be repeated. */
const repeatedMax = 2_000_000;

/** Rewrites clauses of FROM that the engine has in another form: UNNEST, and samples whose size is a percentage in Presto. */
export function rewriteClauses(tree: TreeNode): void {
  let repeated = 0;
  walk(tree, ({ node }) => {
    sampleInPercent(node['sample']);
    if (node['type'] === 'TABLE_FUNCTION') repeated += unnestAsPresto(node);
    // Lists within lists are repeated with each of them.
    if (repeated > repeatedMax) throw new Refusal('the lists of UNNEST … WITH ORDINALITY are too long');
    return true;
  });
}

/** Rewrites `TABLESAMPLE BERNOULLI (10)` to 10 percent; the engine has no number of rows for it and `SYSTEM`. */
function sampleInPercent(sample: unknown): void {
  const { method, is_percentage, sample_size } = Object(sample) as TreeNode;
  if (is_percentage !== false || !/^(?:bernoulli|system)$/i.test(String(method))) return;
  const size = sample_size as TreeNode;
  const digits = JSON.stringify(size['value']);
  // The engine reads a DOUBLE only with a point.
  const value = JSON.rawJSON(/^\d+$/.test(digits) ? `${digits}.0` : digits);
  Object.assign(sample as TreeNode, {
    is_percentage: true,
    sample_size: { ...size, type: { id: 'DOUBLE', type_info: null }, value },
  });
}

/**
 * Rewrites UNNEST to a query whose list unnests each argument, which pads the shorter ones with NULL. A list of rows becomes a
 * column for each field, a map a column for keys and one for values. A single name is that of whole elements, as in the engine.
 * Returns the repeated characters of the tree.
 */
function unnestAsPresto(node: TreeNode): number {
  const { function: unnest, with_ordinality, ...rest } = node;
  const { function_name, children } = unnest as { function_name: string; children: TreeNode[] };
  if (function_name.toLowerCase() !== 'unnest') return 0;
  const isNumbered = with_ordinality === 'WITH_ORDINALITY';
  const names = (node['column_name_alias'] as string[]).length - (isNumbered ? 1 : 0);
  const lists = children.map((child) => (isMap(child) ? call('map_entries', [child]) : child));
  const [only] = lists;
  if (lists.length === 1 && names === 1 && only && fieldsOf(only) !== 1) return 0;
  const list = lists.map(fieldsUnnested);
  if (isNumbered) list.push({ ...call('unnest', [placesOf(lists)]), alias: 'ordinality' });
  const select = {
    ...{ type: 'SELECT_NODE', modifiers: [], cte_map: { map: [] }, select_list: list },
    from_table: { type: 'EMPTY', alias: '', sample: null, query_location: 0 },
    ...{ where_clause: null, group_expressions: [], group_sets: [], aggregate_handling: 'STANDARD_HANDLING' },
    ...{ having: null, sample: null, qualify: null },
  };
  for (const key of Object.keys(node)) delete node[key];
  Object.assign(node, rest, { type: 'SUBQUERY', subquery: { node: select, named_param_map: [] } });
  return isNumbered ? printTree({ lists }).length : 0;
}

/**
 * Builds `unnest(list_transform(l, x -> {'unnest': x}), max_depth := 3)`. The third level expands rows and nothing else: lists
 * within rows stay, so a list of lists has one column of lists.
 */
function fieldsUnnested(list: TreeNode): TreeNode {
  const held = call('struct_pack', [{ ...column('_ploidy_u'), alias: 'unnest' }]);
  const wrapped = call('list_transform', [list, lambda('_ploidy_u', held)]);
  return call('unnest', [wrapped, { ...constantOf(3), alias: 'max_depth' }]);
}

/** Functions of Presto and the engine that return a map. */
const mapFunctions: ReadonlySet<string> = new Set([
  ...['map', 'map_agg', 'map_concat', 'map_filter', 'map_from_entries', 'multimap_agg'],
  ...['approx_most_frequent', 'histogram', 'split_to_map', 'transform_values'],
]);

/** Reports whether an expression is visibly a map. Others are refused when they are bound. */
function isMap({ class: kind, cast_type, function_name }: TreeNode): boolean {
  if (kind === 'CAST') return (cast_type as TreeNode)['id'] === 'MAP';
  return kind === 'FUNCTION' && mapFunctions.has(String(function_name).toLowerCase());
}

/** Functions that return elements of their first argument. */
const keepingFunctions: ReadonlySet<string> = new Set([
  ...['array_distinct', 'array_sort', 'coalesce', 'filter', 'reverse', 'slice', 'try'],
]);

/** Counts the fields of the elements of a list, as far as the expression shows them; 0: none, or unknown. */
function fieldsOf({ class: kind, type, cast_type, function_name, children = [] }: TreeNode): number {
  if (kind === 'CAST') return fieldsOfType(elementOf(cast_type));
  const name = String(function_name).toLowerCase();
  const [first] = children as TreeNode[];
  if (!first) return 0;
  if (keepingFunctions.has(name)) return fieldsOf(first);
  if (name !== 'list_value' && type !== 'ARRAY_CONSTRUCTOR') return 0;
  if (first['class'] === 'CAST') return fieldsOfType(first['cast_type']);
  return first['function_name'] === 'row' ? (first['children'] as TreeNode[]).length : 0;
}

const elementOf = (type: unknown): unknown =>
  Object(type)['id'] === 'LIST' ? Object(Object(type)['type_info'])['child_type'] : undefined;

function fieldsOfType(type: unknown): number {
  const { id, type_info } = Object(type) as TreeNode;
  return id === 'STRUCT' ? (Object(type_info)['child_types'] as unknown[]).length : 0;
}

/** Builds `generate_series(1, list_max([len(a), len(b)]))`. */
function placesOf(lists: readonly TreeNode[]): TreeNode {
  const lengths = lists.map((list) => call('len', [readTree(printTree(list))]));
  return call('generate_series', [constantOf(1), call('list_max', [call('list_value', lengths)])]);
}
