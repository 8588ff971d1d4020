import { Refusal } from './refusal.ts';
import { caseOf, conjunction, expression, printTree, readTree, type TreeNode, walk } from './tree.ts';

/** Functions that give another value each time: they are not written down twice. */
const unrepeatable = new Set(['random', 'rand', 'uuid', 'uuidv4', 'uuidv7', 'gen_random_uuid', 'setseed']);
/** Characters of the tree that a row may take which is written down again for each row that it is compared with. */
const repeatedMax = 2_000_000;

/**
 * Compares rows that are written out element by element: `(a, b) = (c, d)` becomes `a = c AND b = d`, where NULL is unknown. The
 * engine takes NULL for equal to NULL within rows. Rows of different lengths stay rows, which it refuses.
 */
export function compareRowsByElement(tree: TreeNode): void {
  const found: TreeNode[] = [];
  walk(tree, ({ node }) => {
    if (node['class'] === 'COMPARISON' || node['class'] === 'OPERATOR') found.push(node);
    return true;
  });
  let repeated = 0;
  // The inner ones first: the outer ones may hold them twice afterwards.
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

/** Of an `IN` what it looks for, when that is a row, and what among. */
function rowAndOthers(node: TreeNode): TreeNode[] {
  const isIn = node['type'] === 'COMPARE_IN' || node['type'] === 'COMPARE_NOT_IN';
  const [row, ...others] = isIn ? (node['children'] as TreeNode[]) : [];
  return row && elementsOf(row) ? [row, ...others] : [];
}

/** The same comparison by elements; nothing where it is none of a row. */
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

/** Expressions of a row that is written out. */
function elementsOf(node: TreeNode): TreeNode[] | undefined {
  const isRow = node['class'] === 'FUNCTION' && String(node['function_name']).toLowerCase() === 'row';
  return isRow ? (node['children'] as TreeNode[]) : undefined;
}

/** The same of rows within the row as well. */
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
 * `IN` as one comparison after the other. Among constants the engine looks a row up at once, which is right when there is no NULL
 * on either side; so it does that with the rows that have none.
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

/** Whether it is a constant other than NULL, also like `DATE '2024-01-01'` and `-1`. */
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

/** Who changes one of them later must not change the other. */
const copyOf = (node: TreeNode): TreeNode => readTree(printTree(node));
