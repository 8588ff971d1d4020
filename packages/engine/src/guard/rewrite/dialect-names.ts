import { engineFormat, parserOf } from '../../dialect/formats.ts';
import { jodaFormat, jodaParserFormat, zonedParserOf } from '../../dialect/joda-formats.ts';
import { macroNames } from '../../dialect/macros.ts';
import { renamed, renamedOfTwo } from '../../dialect/renamed.ts';
import { Refusal } from '../refusal.ts';
import { type TreeNode, walk } from '../tree.ts';
import { lambdaFunctions } from './lambda-functions.ts';

/** Functions whose second argument is a format, its letters, and their equivalents in the engine. */
const formatted: ReadonlyMap<string, { read: typeof engineFormat; nameOf: (format: string) => string }> =
  new Map([
    ['date_parse', { read: engineFormat, nameOf: parserOf }],
    ['date_format', { read: engineFormat, nameOf: () => 'strftime' }],
    ['parse_datetime', { read: jodaParserFormat, nameOf: zonedParserOf }],
    ['format_datetime', { read: jodaFormat, nameOf: () => 'strftime' }],
  ]);

/** Names of the dialect that a statement may use beside the engine's own. */
export const dialectNames: ReadonlySet<string> = new Set([
  ...macroNames,
  ...renamed.keys(),
  ...formatted.keys(),
  ...lambdaFunctions,
  'approx_distinct',
]);

/** Replaces names and formats of the dialect by those of the engine. */
export function nameForEngine(tree: TreeNode): void {
  walk(tree, ({ node }) => {
    const written = node['function_name'];
    if (typeof written !== 'string') return true;
    const name = written.toLowerCase();
    const letters = formatted.get(name);
    const engineName = letters?.nameOf(translatedFormat(node, name, letters.read));
    if (name === 'json_exists') translatePath(node);
    if (ofOnePlace.has(name)) refuseManyPlaces(node, name);
    if (name.startsWith('regexp_')) refuseLooks(node);
    const children = Array.isArray(node['children']) ? node['children'] : [];
    const ofTwo = children.length === 2 ? renamedOfTwo.get(name) : undefined;
    if (name === 'count_if' && children.length === 1) countThoseThatHold(node);
    else if (name === 'approx_distinct') countDistinct(node);
    else node['function_name'] = engineName ?? ofTwo ?? renamed.get(name) ?? written;
    return true;
  });
}

/** Rewrites `count_if(x)` to `count(x OR NULL)`: without rows the engine's own is NULL. */
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

/**
 * Rewrites `approx_distinct(x, e)` to `main.count(DISTINCT x)`: the engine's estimate has 64 registers and a sixth of error, Presto's a
 * fortieth. The schema distinguishes the header from that of a count (`task-runtime/column-names.ts`).
 */
function countDistinct(node: TreeNode): void {
  const [value, error, ...more] = node['children'] as TreeNode[];
  if (!value || more.length > 0 || (error && !isNumber(error))) {
    const message = 'approx_distinct takes a value, and an error as a number, like 0.023';
    throw new Refusal(message, offsetOf(node));
  }
  // The order of the counted values does not affect the count, and DISTINCT does not allow one.
  if (node['class'] === 'WINDOW') node['arg_orders'] = [];
  else node['order_bys'] = { type: 'ORDER_MODIFIER', orders: [] };
  Object.assign(node, { schema: 'main', function_name: 'count', distinct: true, children: [value] });
}

/** Matches a DOUBLE, which is a cast of its text (`keepDoubles`). */
function isNumber(node: TreeNode): boolean {
  const type = node['cast_type'] as TreeNode | undefined;
  if (node['class'] === 'CAST' && type?.['id'] === 'DOUBLE')
    return (node['child'] as TreeNode)['class'] === 'CONSTANT';
  return typeof (node['value'] as TreeNode | undefined)?.['value'] === 'number';
}

/** Functions with one value of a document, for whose path the engine would return a list. */
const ofOnePlace: ReadonlySet<string> = new Set([
  ...['json_extract_scalar', 'json_query', 'json_size', 'json_value'],
]);

function refuseManyPlaces(node: TreeNode, name: string): void {
  const path = constantOf(node)?.['value'];
  // Without `$` it is a key or a pointer (`/a/0`), in which the signs are letters.
  if (typeof path !== 'string' || !/^\s*(?:(?:lax|strict)\s+)?\$/i.test(path)) return;
  const many = /\[\*\]|\.[*.]/.exec(path.replace(/"(?:[^"\\]|\\.)*"?/gs, ''));
  if (!many) return;
  const message = `${name} gives one value, and ${many[0]} in a path means many: json_extract gives them as a list`;
  throw new Refusal(message, offsetOf(node));
}

/** Refuses what the engine's patterns lack (RE2): look-ahead, look-behind, atomic groups, references to groups. */
function refuseLooks(node: TreeNode): void {
  const pattern = constantOf(node)?.['value'];
  const found = typeof pattern === 'string' ? unsupportedSign(pattern) : undefined;
  if (found === undefined) return;
  const message = `a pattern cannot look ahead or behind, or refer to its groups (${found}): write two conditions, like regexp_like(s, 'a') AND NOT regexp_like(s, 'ab')`;
  throw new Refusal(message, offsetOf(node));
}

/** Finds the first such sign outside a class of characters. */
function unsupportedSign(pattern: string): string | undefined {
  let isClass = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const sign = pattern[at];
    if (sign === '\\') {
      const escaped = pattern[at + 1] ?? '';
      if (!isClass && escaped >= '1' && escaped <= '9') return sign + escaped;
      at += 1;
    } else if (sign === '[') isClass = true;
    else if (sign === ']') isClass = false;
    else if (sign === '(' && !isClass) {
      const [look] = /^\(\?(?:<?[=!]|>)/.exec(pattern.slice(at, at + 4)) ?? [];
      if (look !== undefined) return look;
    }
  }
  return undefined;
}

/** Removes the mode of a path: the engine's paths have none; they are lax. */
function translatePath(node: TreeNode): void {
  const value = constantOf(node);
  if (typeof value?.['value'] === 'string')
    value['value'] = value['value'].replace(/^\s*(?:lax|strict)\s+/i, '');
}

/** Returns the second argument if it is a constant. */
function constantOf(node: TreeNode): TreeNode | undefined {
  const constant = Array.isArray(node['children']) ? (node['children'][1] as TreeNode) : undefined;
  return constant?.['value'] as TreeNode | undefined;
}

/** Replaces a format by the engine's, and returns it. */
function translatedFormat(node: TreeNode, name: string, read: typeof engineFormat): string {
  const value = constantOf(node);
  const offset = offsetOf(node);
  if (typeof value?.['value'] !== 'string') {
    throw new Refusal(`the format of ${name} must be written out as a text, like '%Y-%m-%d'`, offset);
  }
  const translated = read(value['value']);
  if ('unknown' in translated) {
    throw new Refusal(`${name} knows no "${translated.unknown}" in a format`, offset);
  }
  value['value'] = translated.format;
  return translated.format;
}

function offsetOf(node: TreeNode): number | undefined {
  const location = node['query_location'];
  return typeof location === 'number' ? location : undefined;
}
