import { identifier } from '../worker/quote.ts';
import { type TreeNode, walk } from './tree.ts';

/** Quotes the table of `"my table".*`: the engine prints it without, and could not read again what it printed. */
export function quoteStars(tree: TreeNode): void {
  walk(tree, ({ node }) => {
    const table = node['relation_name'];
    if (node['class'] === 'STAR' && typeof table === 'string' && table !== '')
      node['relation_name'] = identifier(table);
    return true;
  });
}
