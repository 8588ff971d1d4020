import type { RemoteView, TranslationTask } from '../engine.ts';
import { keepDoubles, type SyntaxTrees } from '../guard/check.ts';
import { compareRowsByElement } from '../guard/rewrite/row-comparisons.ts';
import { sortResult } from '../guard/rewrite/row-order.ts';
import { readTree, type TreeNode } from '../guard/tree.ts';
import { printQuery } from './queries.ts';
import { type QueryNode, quoted, refuse } from './syntax.ts';

/**
 * Prints a statement for Trino. Its tables become WITH queries: the relations that the local engine has as
 * views. Throws `Untranslatable` for what is not on the closed lists.
 */
export async function translateStatement(
  { sql, isMasked, views, namespace }: TranslationTask,
  trees: SyntaxTrees,
): Promise<string> {
  const parts: string[] = [];
  for (const view of views) parts.push(...(await partsOf(view, namespace, trees)));
  const names = new Map(views.map(({ name }) => [name.toLowerCase(), partName(name)]));
  const tree = await read(sql, trees);
  compareRowsByElement(tree);
  const [statement] = tree['statements'] as TreeNode[];
  // The order of stored rows depends on real ids, and Trino cannot be given another.
  if (isMasked && statement && !sortResult(statement)) return refuse('an order of hidden rows');
  const text = printQuery(queryOf(tree), {
    tableOf: (name, schema) => {
      const known = schema === '' ? names.get(name.toLowerCase()) : undefined;
      return known === undefined ? refuse(`the table ${name}`) : quoted(known);
    },
    isOurs: false,
  });
  const own = text.startsWith('WITH ') ? `, ${text.slice('WITH '.length)}` : ` ${text}`;
  return parts.length === 0 ? text : `WITH ${parts.join(', ')}${own}`;
}

/** Name of the WITH query of a table. */
const partName = (table: string): string => `p_${table}`;

async function partsOf(view: RemoteView, namespace: string, trees: SyntaxTrees): Promise<string[]> {
  const { settled } = view;
  const tableOf = (name: string, schema: string): string => {
    if (schema === 'lake') return `${quoted(namespace)}.${quoted(name)}`;
    return settled && name === settled.name ? quoted(partName(name)) : refuse(`the table ${name}`);
  };
  const print = async (sql: string): Promise<string> =>
    printQuery(queryOf(await read(sql, trees)), { tableOf, isOurs: true });
  const rows = `${quoted(partName(view.name))} AS (${await print(view.sql)})`;
  if (!settled) return [rows];
  const columns = view.columns.map((name) => `${barrier(quoted(name))} AS ${quoted(name)}`).join(', ');
  return [
    `${quoted(partName(settled.name))} AS (SELECT ${columns} FROM (${await print(settled.sql)}))`,
    rows,
  ];
}

/** Keeps conditions of a statement above the choice of rows: Trino moves none through what is not determined. */
const barrier = (column: string): string => `if(random() < 2, ${column})`;

async function read(sql: string, trees: SyntaxTrees): Promise<TreeNode> {
  const tree = readTree(keepDoubles(await trees.serialize(sql)));
  return tree['error'] === false ? tree : refuse('the statement');
}

function queryOf(tree: TreeNode): QueryNode {
  const [statement] = tree['statements'] as { node: QueryNode }[];
  return statement?.node ?? refuse('the statement');
}
