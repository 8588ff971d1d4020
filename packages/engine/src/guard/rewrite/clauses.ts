import { Refusal } from '../refusal.ts';
import { printTree, type TreeNode, walk } from '../tree.ts';
import { call } from './lambda-functions.ts';

/** Maximum characters of the tree that may be repeated. */
const repeatedMax = 2_000_000;

/** Rewrites clauses of FROM that the engine has in another form: `UNNEST(a, b)`, and samples whose size is a percentage in Presto. */
export function rewriteClauses(tree: TreeNode): void {
  let repeated = 0;
  walk(tree, ({ node }) => {
    sampleInPercent(node['sample']);
    if (node['type'] === 'TABLE_FUNCTION') repeated += unnestSeveral(node);
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
 * Rewrites `UNNEST(a, b)` to a query whose list unnests each, which pads the shorter ones with NULL. Returns the repeated
 * characters of the tree.
 */
function unnestSeveral(node: TreeNode): number {
  const { function: unnest, with_ordinality, ...rest } = node;
  const { function_name, children } = unnest as { function_name: string; children: TreeNode[] };
  if (function_name.toLowerCase() !== 'unnest' || children.length < 2) return 0;
  const list = children.map((child) => call('unnest', [child]));
  const isNumbered = with_ordinality === 'WITH_ORDINALITY';
  if (isNumbered) list.push(call('unnest', [placesOf(children)]));
  const select = {
    ...{ type: 'SELECT_NODE', modifiers: [], cte_map: { map: [] }, select_list: list },
    from_table: { type: 'EMPTY', alias: '', sample: null, query_location: 0 },
    ...{ where_clause: null, group_expressions: [], group_sets: [], aggregate_handling: 'STANDARD_HANDLING' },
    ...{ having: null, sample: null, qualify: null },
  };
  for (const key of Object.keys(node)) delete node[key];
  Object.assign(node, rest, { type: 'SUBQUERY', subquery: { node: select, named_param_map: [] } });
  return isNumbered ? printTree({ children }).length : 0;
}

/** Builds `generate_series(1, list_max([len(a), len(b)]))`. */
function placesOf(lists: readonly TreeNode[]): TreeNode {
  const lengths = lists.map((list) => call('len', [structuredClone(list)]));
  const one = {
    ...{ class: 'CONSTANT', type: 'VALUE_CONSTANT', alias: '', query_location: 0 },
    value: { type: { id: 'INTEGER', type_info: null }, is_null: false, value: 1 },
  };
  return call('generate_series', [one, call('list_max', [call('list_value', lengths)])]);
}
