import type { TableShape } from '../engine.ts';
import { Refusal } from './refusal.ts';
import { type TreeNode, walk } from './tree.ts';

const numbers = /^(?:(?:TINY|SMALL|BIG|HUGE)INT|INTEGER|DECIMAL|FLOAT|DOUBLE)\b/;

type Kind = 'text' | 'number';

/**
 * Refuses a comparison of a column of text with a number. The engine would compare numbers, so that the patients `7` and `007`
 * would be one; Presto refuses it too. Only columns whose name has the type text in every table are certain.
 */
export function refuseNumbersForTexts(statement: TreeNode, tables: readonly TableShape[]): void {
  const kinds = kindsOf(tables);
  for (const name of namesGiven(statement)) kinds.delete(name);
  walk(statement, ({ node }) => {
    for (const [left, right] of comparedBy(node)) {
      const text = kindOf(left, kinds) === 'text' ? left : right;
      const number = text === left ? right : left;
      if (kindOf(text, kinds) === 'text' && kindOf(number, kinds) === 'number') refuse(text);
    }
    // Variables of a lambda may have the name of a column.
    return node['class'] !== 'LAMBDA';
  });
}

/** Columns by name in lower case; undefined where tables differ. */
function kindsOf(tables: readonly TableShape[]): Map<string, Kind | undefined> {
  const kinds = new Map<string, Kind | undefined>();
  for (const { name, type } of tables.flatMap(({ columns }) => columns)) {
    const kind = type === 'VARCHAR' ? 'text' : numbers.test(type) ? 'number' : undefined;
    const key = name.toLowerCase();
    kinds.set(key, kinds.has(key) && kinds.get(key) !== kind ? undefined : kind);
  }
  return kinds;
}

/** Names that the statement assigns to columns of its own. */
function namesGiven(statement: TreeNode): Set<string> {
  const names = new Set<string>();
  walk(statement, ({ node }) => {
    const aliases = [node['alias'], node['column_name_alias'], node['aliases']].flat();
    // A column that keeps its name keeps its type.
    const isItself = node['class'] === 'COLUMN_REF' && sameName(node);
    for (const alias of aliases)
      if (typeof alias === 'string' && alias !== '' && !isItself) names.add(alias.toLowerCase());
    return true;
  });
  return names;
}

function sameName({ alias, column_names }: TreeNode): boolean {
  return String(alias).toLowerCase() === String((column_names as string[]).at(-1)).toLowerCase();
}

/** Pairs that a node compares. */
function comparedBy(node: TreeNode): [TreeNode, TreeNode][] {
  if (node['class'] === 'COMPARISON') return [[node['left'] as TreeNode, node['right'] as TreeNode]];
  if (node['class'] !== 'OPERATOR' || !/^COMPARE_(?:NOT_)?IN$/.test(String(node['type']))) return [];
  const [first, ...others] = node['children'] as TreeNode[];
  return first ? others.map((other) => [first, other]) : [];
}

function kindOf(node: TreeNode, kinds: ReadonlyMap<string, Kind | undefined>): Kind | undefined {
  if (node['class'] === 'COLUMN_REF')
    return kinds.get(String((node['column_names'] as string[]).at(-1)).toLowerCase());
  const { type } = (node['class'] === 'CONSTANT' ? node['value'] : { type: node['cast_type'] }) as TreeNode;
  return numbers.test(String((type as TreeNode | undefined)?.['id'])) ? 'number' : undefined;
}

function refuse(column: TreeNode): never {
  const name = (column['column_names'] as string[]).at(-1);
  const location = column['query_location'];
  throw new Refusal(
    `the column "${name}" is text and is compared with a number: write the value in quotes, or CAST("${name}" AS DOUBLE)`,
    typeof location === 'number' && Number.isSafeInteger(location) ? location : undefined,
    'type',
  );
}
