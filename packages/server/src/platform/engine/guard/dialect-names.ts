import { engineFormat } from '../dialect/formats.ts';
import { macroNames } from '../dialect/macros.ts';
import { renamed } from '../dialect/renamed.ts';
import { Refusal } from './refusal.ts';
import { type TreeNode, walk } from './tree.ts';

/** Functions whose second argument is a format in MySQL's letters. */
const formatted: ReadonlyMap<string, string> = new Map([
  ['date_parse', 'strptime'],
  ['date_format', 'strftime'],
]);

/** Names of the dialect that a statement may use beside the engine's own. */
export const dialectNames: ReadonlySet<string> = new Set([
  ...macroNames,
  ...renamed.keys(),
  ...formatted.keys(),
]);

/** Puts the engine's names and formats where the dialect has others. */
export function nameForEngine(tree: TreeNode): void {
  walk(tree, ({ node }) => {
    const written = node['function_name'];
    if (typeof written !== 'string') return true;
    const name = written.toLowerCase();
    const engineName = formatted.get(name);
    if (engineName !== undefined) translateFormat(node, name);
    node['function_name'] = engineName ?? renamed.get(name) ?? written;
    return true;
  });
}

function translateFormat(node: TreeNode, name: string): void {
  const constant = Array.isArray(node['children']) ? (node['children'][1] as TreeNode) : undefined;
  const value = constant?.['value'] as TreeNode | undefined;
  const location = node['query_location'];
  const offset = typeof location === 'number' ? location : undefined;
  if (typeof value?.['value'] !== 'string') {
    throw new Refusal(`the format of ${name} must be written out as a text, like '%Y-%m-%d'`, offset);
  }
  const translated = engineFormat(value['value']);
  if ('unknown' in translated) {
    throw new Refusal(`${name} knows no "${translated.unknown}" in a format`, offset);
  }
  value['value'] = translated.format;
}
