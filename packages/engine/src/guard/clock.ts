import { type TreeNode, walk } from './tree.ts';

/** Functions whose value depends on the time of the call. */
const functions = new Set([
  ...['ago', 'current_date', 'current_localtime', 'current_localtimestamp', 'get_current_time'],
  ...['get_current_timestamp', 'now', 'today', 'transaction_timestamp', 'uuidv7'],
]);

/** Functions written without parentheses: in the tree they are columns, and a column of that name takes precedence. */
const words = new Set(['current_date', 'current_time', 'current_timestamp', 'localtime', 'localtimestamp']);

/** Returns whether a statement may have another result at another time over the same data. */
export function asksClock(tree: TreeNode): boolean {
  let asks = false;
  walk(tree, ({ node }) => {
    asks ||= isOfClock(node);
    return !asks;
  });
  return asks;
}

function isOfClock({ class: kind, function_name: name, column_names: names, children }: TreeNode): boolean {
  if (kind === 'COLUMN_REF') return Array.isArray(names) && words.has(String(names.at(-1)).toLowerCase());
  const called = String(name).toLowerCase();
  // `age` of one moment is its distance from now.
  return functions.has(called) || (called === 'age' && Array.isArray(children) && children.length === 1);
}
