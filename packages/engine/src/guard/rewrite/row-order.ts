import { constantOf, type TreeNode, walk } from '../tree.ts';
import { aggregates, revealingFunctions } from './aggregates.ts';

/** Aggregates whose value is the same for every order of rows. */
const unordered: ReadonlySet<string> = new Set(
  `approx_count_distinct approx_distinct avg bit_and bit_or bit_xor bool_and bool_or corr count count_if count_star countif
covar_pop covar_samp entropy favg fsum geomean geometric_mean histogram histogram_exact kahan_sum kurtosis kurtosis_pop
mad max mean median min product quantile quantile_cont quantile_disc regr_avgx regr_avgy regr_count regr_intercept
regr_r2 regr_slope regr_sxx regr_sxy regr_syy sem skewness stddev stddev_pop stddev_samp sum sum_no_overflow sumkahan
var_pop var_samp variance`.split(/\s+/),
);

/**
 * Sorts the result of a statement by its selected columns, to hide the order of rows in its tables: it is that of the real ids.
 * Returns false, and changes nothing, where the rows themselves may depend on that order (windows, lists, limits inside, `*`):
 * then the tables have to be sorted.
 */
export function sortResult(statement: TreeNode): boolean {
  const query = statement['node'] as TreeNode;
  const selected = selectList(query);
  if (!selected || readsOrder(statement, query)) return false;
  const modifiers = query['modifiers'] as TreeNode[];
  const orders = selected.map((_, index) => ({
    type: 'ORDER_DEFAULT',
    null_order: 'ORDER_DEFAULT',
    expression: constantOf(index + 1),
  }));
  const own = modifiers.find(({ type }) => type === 'ORDER_MODIFIER');
  if (own) (own['orders'] as TreeNode[]).push(...orders);
  else modifiers.splice(limitIndex(modifiers), 0, { type: 'ORDER_MODIFIER', orders });
  return true;
}

/** Returns the columns of a result, unless their number is unknown. */
function selectList(query: TreeNode): TreeNode[] | undefined {
  if (query['type'] === 'SET_OPERATION_NODE') return selectList(query['left'] as TreeNode);
  if (query['type'] !== 'SELECT_NODE') return undefined;
  const list = query['select_list'] as TreeNode[];
  return list.some(hasStar) ? undefined : list;
}

function hasStar(column: TreeNode): boolean {
  let found = false;
  walk(column, ({ node }) => {
    found ||= node['class'] === 'STAR';
    return node['class'] !== 'SUBQUERY';
  });
  return found;
}

/** Adds the order before rows are counted off. */
function limitIndex(modifiers: TreeNode[]): number {
  const index = modifiers.findIndex(({ type }) => String(type).startsWith('LIMIT'));
  return index < 0 ? modifiers.length : index;
}

function readsOrder(statement: TreeNode, query: TreeNode): boolean {
  let reads = false;
  walk(statement, ({ node }) => {
    reads ||= isOrdered(node, (query['modifiers'] as TreeNode[]).includes(node));
    return !reads;
  });
  return reads;
}

/** `isLast`: the order of the result itself, which is sorted first. */
function isOrdered(node: TreeNode, isLast: boolean): boolean {
  if (node['sample'] !== null && node['sample'] !== undefined) return true;
  switch (node['class'] ?? node['type']) {
    case 'WINDOW':
      return true;
    case 'FUNCTION': {
      const name = String(node['function_name']).toLowerCase();
      return revealingFunctions.has(name) || (aggregates.has(name) && !unordered.has(name));
    }
    case 'LIMIT_MODIFIER':
    case 'LIMIT_PERCENT_MODIFIER':
      return !isLast;
    case 'DISTINCT_MODIFIER':
      return (node['distinct_on_targets'] as unknown[]).length > 0;
    case 'JOIN':
      return node['ref_type'] === 'POSITIONAL' || node['ref_type'] === 'ASOF';
    case 'PIVOT':
    case 'RECURSIVE_CTE_NODE':
      return true;
    default:
      return false;
  }
}
