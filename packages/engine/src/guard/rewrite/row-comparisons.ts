import { Refusal } from '../refusal.ts';
import { caseOf, conjunction, expression, printTree, readTree, type TreeNode, walk } from '../tree.ts';

/** Functions whose value changes with each call: they must not be duplicated. */
const unrepeatable = new Set(['random', 'rand', 'uuid', 'uuidv4', 'uuidv7', 'gen_random_uuid', 'setseed']);
/** Maximum characters of the tree for repeated rows: a row is repeated for each row that it is compared with. */
const repeatedMax = 2_000_000;

/**
 * Rewrites comparisons of row constructors by element: `(a, b) = (c, d)` becomes `a = c AND b = d`. In SQL a NULL makes them
 * unknown; the engine treats NULL within rows as equal to NULL, and would select other rows. Rows of different lengths remain,
 * and the engine refuses them.
 */
export function compareRowsByElement(tree: TreeNode): void {
  const found: TreeNode[] = [];
  walk(tree, ({ node }) => {
    if (node['class'] === 'COMPARISON' || node['class'] === 'OPERATOR') found.push(node);
    return true;
  });
  let repeated = 0;
  // Inner comparisons first: outer ones may duplicate them.
  for (const node of found.reverse()) {
    const [row, ...others] = rowAndOthers(node);
    if (others.length > 1) repeated += printTree(row as TreeNode).length * others.length;
    if (repeated > repeatedMax) throw new Refusal('rows are compared with too many others');
    const compared = byElement(node);
    if (!compared) continue;
    const { alias, query_location } = node;
    for (const field of Object.keys(node)) delete node[field];
    Object.assign(node, compared, { alias, query_location });
  }
}

/** Returns the row of an `IN`, and the items that it is compared with; empty for other nodes. */
function rowAndOthers(node: TreeNode): TreeNode[] {
  const isIn = node['type'] === 'COMPARE_IN' || node['type'] === 'COMPARE_NOT_IN';
  const [row, ...others] = isIn ? (node['children'] as TreeNode[]) : [];
  return row && elementsOf(row) ? [row, ...others] : [];
}

/** Returns the comparison by element; undefined if it compares no row. */
function byElement(node: TreeNode): TreeNode | undefined {
  const [left, right] = [node['left'] as TreeNode, node['right'] as TreeNode];
  switch (node['type']) {
    case 'COMPARE_EQUAL':
      return elementsOf(left) && equal(left, right);
    case 'COMPARE_NOTEQUAL':
      return elementsOf(left) && not(equal(left, right));
    case 'COMPARE_IN':
      return among(node);
    case 'COMPARE_NOT_IN': {
      const compared = among({ ...node, type: 'COMPARE_IN' });
      return compared && not(compared);
    }
    default:
      return undefined;
  }
}

/** Returns the elements of a row constructor. */
function elementsOf(node: TreeNode): TreeNode[] | undefined {
  const isRow = node['class'] === 'FUNCTION' && String(node['function_name']).toLowerCase() === 'row';
  return isRow ? (node['children'] as TreeNode[]) : undefined;
}

/** Returns the elements of a row and of the rows within it. */
function leavesOf(node: TreeNode): TreeNode[] {
  return elementsOf(node)?.flatMap(leavesOf) ?? [node];
}

function equal(left: TreeNode, right: TreeNode): TreeNode {
  const [elements, others] = [elementsOf(left), elementsOf(right)];
  if (elements && others && elements.length === others.length && elements.length > 0)
    return conjunction(
      'AND',
      elements.map((element, index) => equal(element, others[index] as TreeNode)),
    );
  return { ...expression('COMPARISON', 'COMPARE_EQUAL'), left: copyOf(left), right: copyOf(right) };
}

/**
 * Rewrites `IN` to single comparisons. Constants without NULL remain an `IN`, which the engine evaluates with one lookup, for
 * rows without NULL.
 */
function among(node: TreeNode): TreeNode | undefined {
  const [row, ...others] = rowAndOthers(node);
  if (!row || (others.length > 1 && !isRepeatable(row))) return undefined;
  const each = (items: TreeNode[]): TreeNode =>
    conjunction(
      'OR',
      items.map((item) => equal(row, item)),
    );
  const constants = others.filter((item) => elementsOf(item) && leavesOf(item).every(isConstant));
  if (constants.length < 2) return each(others);
  const rest = others.filter((item) => !constants.includes(item));
  const lookedUp = { ...node, alias: '', children: [row, ...constants] };
  const found = caseOf(conjunction('AND', leavesOf(row).map(isThere)), lookedUp, each(constants));
  return rest.length === 0 ? found : conjunction('OR', [found, each(rest)]);
}

/** Returns whether an expression is a constant other than NULL, also like `DATE '2024-01-01'` and `-1`. */
function isConstant(node: TreeNode): boolean {
  switch (node['class']) {
    case 'CONSTANT':
      return (node['value'] as TreeNode)['is_null'] !== true;
    case 'CAST':
      return node['try_cast'] === false && isConstant(node['child'] as TreeNode);
    case 'FUNCTION':
      return node['function_name'] === '-' && (node['children'] as TreeNode[]).every(isConstant);
    default:
      return false;
  }
}

function isRepeatable(tree: TreeNode): boolean {
  let repeatable = true;
  walk(tree, ({ node }) => {
    repeatable &&= node['class'] !== 'SUBQUERY' && !unrepeatable.has(String(node['function_name']));
    return repeatable;
  });
  return repeatable;
}

const isThere = (node: TreeNode): TreeNode => ({
  ...expression('OPERATOR', 'OPERATOR_IS_NOT_NULL'),
  children: [copyOf(node)],
});

const not = (node: TreeNode): TreeNode => ({
  ...expression('OPERATOR', 'OPERATOR_NOT'),
  children: [node],
});

/** Copies a node, so that a later change of one does not change the other. */
const copyOf = (node: TreeNode): TreeNode => readTree(printTree(node));
