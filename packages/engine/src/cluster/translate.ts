import type { RemoteView, TranslationTask } from '../engine.ts';
import { keepDoubles, type SyntaxTrees } from '../guard/check.ts';
import { compareRowsByElement } from '../guard/rewrite/row-comparisons.ts';
import { sortResult } from '../guard/rewrite/row-order.ts';
import { readTree, type TreeNode } from '../guard/tree.ts';
import { Proof, provenSignatures, type Signatures } from './proof.ts';
import { printQuery } from './queries.ts';
import { type QueryNode, quoted, refuse } from './syntax.ts';

/**
 * Prints a statement for Trino. Its tables become WITH queries: the relations that the local engine has as views.
 * Throws `Untranslatable` for parts without a proven equal, and for columns of other types than `types`.
 */
export async function translateStatement(
  { sql, isMasked, views, namespace, types }: TranslationTask,
  trees: SyntaxTrees,
  signatures: Signatures = provenSignatures,
): Promise<string> {
  const parts: string[] = [];
  for (const view of views) parts.push(...(await partsOf(view, namespace, trees)));
  const tables = new Map(views.map((view) => [view.name.toLowerCase(), view]));
  const tree = await read(sql, trees);
  compareRowsByElement(tree);
  const [statement] = tree['statements'] as TreeNode[];
  // The order of stored rows depends on real ids, and Trino cannot be given another.
  if (isMasked && statement && !sortResult(statement)) return refuse('an order of hidden rows');
  const { text, columns } = printQuery(queryOf(tree), {
    tableOf: (name, schema) => {
      const view = schema === '' ? tables.get(name.toLowerCase()) : undefined;
      if (!view) return refuse(`the table ${name}`);
      return { text: quoted(partName(view.name)), columns: view.columns };
    },
    proof: new Proof(signatures),
  });
  const given = columns.map(({ type }) => type);
  if (given.join() !== types.join()) return refuse(`the types ${given.join()} instead of ${types.join()}`);
  const own = text.startsWith('WITH ') ? `, ${text.slice('WITH '.length)}` : ` ${text}`;
  return parts.length === 0 ? text : `WITH ${parts.join(', ')}${own}`;
}

/** Name of the WITH query of a table. */
const partName = (table: string): string => `p_${table}`;

async function partsOf(view: RemoteView, namespace: string, trees: SyntaxTrees): Promise<string[]> {
  const { settled } = view;
  const tableOf = (name: string, schema: string): { text: string } => {
    if (schema === 'lake') return { text: `${quoted(namespace)}.${quoted(name)}` };
    return settled && name === settled.name ? { text: quoted(partName(name)) } : refuse(`the table ${name}`);
  };
  const print = async (sql: string): Promise<string> =>
    printQuery(queryOf(await read(sql, trees)), { tableOf }).text;
  const rows = `${quoted(partName(view.name))} AS (${await print(view.sql)})`;
  if (!settled) return [rows];
  const columns = view.columns.map(({ name }) => `${barrier(quoted(name))} AS ${quoted(name)}`).join(', ');
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
