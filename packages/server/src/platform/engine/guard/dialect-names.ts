import { engineFormat, parserOf } from '../dialect/formats.ts';
import { macroNames } from '../dialect/macros.ts';
import { renamed, renamedOfTwo } from '../dialect/renamed.ts';
import { Refusal } from './refusal.ts';
import { type TreeNode, walk } from './tree.ts';

/** Functions whose second argument is a format in MySQL's letters, and what they are in the engine. */
const formatted: ReadonlyMap<string, (format: string) => string> = new Map([
  ['date_parse', parserOf],
  ['date_format', () => 'strftime'],
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
    const engineName = formatted.get(name)?.(translatedFormat(node, name));
    if (name === 'json_exists') translatePath(node);
    const children = Array.isArray(node['children']) ? node['children'] : [];
    const ofTwo = children.length === 2 ? renamedOfTwo.get(name) : undefined;
    if (name === 'count_if' && children.length === 1) countThoseThatHold(node);
    else node['function_name'] = engineName ?? ofTwo ?? renamed.get(name) ?? written;
    return true;
  });
}

/** `count_if(x)` becomes `count(x OR NULL)`: of no rows the engine's own is NULL. */
function countThoseThatHold(node: TreeNode): void {
  const place = { alias: '', query_location: node['query_location'] };
  const missing = { type: { id: 'NULL', type_info: null }, is_null: true };
  const unknown = { class: 'CONSTANT', type: 'VALUE_CONSTANT', ...place, value: missing };
  const condition = (node['children'] as TreeNode[])[0];
  node['function_name'] = 'count';
  node['children'] = [
    { class: 'CONJUNCTION', type: 'CONJUNCTION_OR', ...place, children: [condition, unknown] },
  ];
}

/** The engine's paths have no mode; they are lax. */
function translatePath(node: TreeNode): void {
  const value = constantOf(node);
  if (typeof value?.['value'] === 'string')
    value['value'] = value['value'].replace(/^\s*(?:lax|strict)\s+/i, '');
}

/** What the second argument holds when it is a constant. */
function constantOf(node: TreeNode): TreeNode | undefined {
  const constant = Array.isArray(node['children']) ? (node['children'][1] as TreeNode) : undefined;
  return constant?.['value'] as TreeNode | undefined;
}

/** Puts the engine's format where MySQL's was, and answers it. */
function translatedFormat(node: TreeNode, name: string): string {
  const value = constantOf(node);
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
  return translated.format;
}
