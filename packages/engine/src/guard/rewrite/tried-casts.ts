import { constantOf, expression, type TreeNode, walk } from '../tree.ts';

/**
 * Puts each TRY_CAST into a list of one, where the engine's optimizer does not see it. In a comparison with a constant the
 * optimizer casts the constant instead, and forgets that the cast may fail: `TRY_CAST(n AS SMALLINT) > 4` would hold for
 * 70000, where it is NULL. Keys of groups remain, as columns may be their values; and columns of the result whose text is
 * their name, with which nothing is compared.
 */
export function hideTriedCasts(tree: TreeNode): void {
  const kept = new Set<unknown>();
  walk(tree, ({ node }) => {
    for (const key of listOf(node['group_expressions'])) kept.add(key);
    return true;
  });
  for (const { node } of listOf(tree['statements']))
    for (const one of unnamed(node as TreeNode)) kept.add(one);
  walk(tree, ({ node, holder, key }) => {
    if (node['try_cast'] === true && !kept.has(node)) holder[key] = hidden(node);
    return true;
  });
}

/** Lists the columns of a result that have no name. The keys of the order may repeat them. */
function unnamed(query: TreeNode): TreeNode[] {
  const columns = listOf(query['select_list']).filter((column) => column['try_cast'] && !column['alias']);
  const orders = listOf(query['modifiers']).flatMap(({ orders: keys }) => listOf(keys));
  const parts = [query['left'], query['right'], ...listOf(query['children'])];
  return [
    ...columns,
    ...(columns.length > 0 ? orders.map((order) => order['expression'] as TreeNode) : []),
    ...parts.flatMap((part) => (part ? unnamed(part as TreeNode) : [])),
  ];
}

/** Wraps an expression so that its value is the same: TRY would take no aggregate and no subquery. */
function hidden({ alias, ...cast }: TreeNode): TreeNode {
  const list = {
    ...expression('FUNCTION', 'FUNCTION'),
    ...{ function_name: 'list_value', schema: 'main', catalog: '', filter: null, distinct: false },
    ...{ is_operator: false, export_state: false, order_bys: { type: 'ORDER_MODIFIER', orders: [] } },
    children: [{ ...cast, alias: '' }],
  };
  return { ...expression('OPERATOR', 'ARRAY_EXTRACT'), alias, children: [list, constantOf(1)] };
}

const listOf = (value: unknown): TreeNode[] => (Array.isArray(value) ? (value as TreeNode[]) : []);
