import type { Edit, Token } from '@ploidy/formats/statement-text';
import { Refusal } from '../refusal.ts';

/** Tokens before which VALUES begins a query, and words that end its rows. */
const beforeValues: ReadonlySet<string> = new Set([
  '(',
  ')',
  'all',
  'distinct',
  'union',
  'except',
  'intersect',
]);
const afterRows: ReadonlySet<string> = new Set([
  ...[';', ')', 'order', 'limit', 'offset', 'fetch', 'union', 'except', 'intersect'],
]);

/** Encloses rows of `VALUES 1, 2` that are one value each; `ROW(1, 2)` is a row without its word. */
export function valuesEdits(tokens: readonly Token[], at: number): Edit[] {
  const before = tokens[at - 1];
  const isQuery = before === undefined || beforeValues.has(before.text);
  if (!isQuery || /^(?:from|,|\)|;)$/.test(tokens[at + 1]?.text ?? ';')) return [];
  return partsOf(tokens, at + 1, afterRows).flatMap((row) => {
    const [first, second] = row;
    const last = row.at(-1);
    if (!first || !last || isEnclosed(row)) return [];
    if (first.text === 'row' && second?.text === '(' && isEnclosed(row.slice(1)))
      return [{ start: first.start, end: first.end, text: '' }];
    return [
      { start: first.start, end: first.start, text: '(' },
      { start: last.end, end: last.end, text: ')' },
    ];
  });
}

/** Splits tokens at the commas outside brackets, up to the end of a list. */
function partsOf(tokens: readonly Token[], from: number, ends: ReadonlySet<string>): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens.slice(from)) {
    if (depth === 0 && token.kind !== 'name' && ends.has(token.text)) break;
    if (/^[([{]$/.test(token.text)) depth += 1;
    else if (/^[)\]}]$/.test(token.text)) depth -= 1;
    if (token.text === ',' && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** Reports whether the bracket that begins a row ends with it. */
function isEnclosed(row: readonly Token[]): boolean {
  let depth = 0;
  return (
    row[0]?.text === '(' &&
    row.every(({ text }, index) => {
      if (text === '(') depth += 1;
      else if (text === ')') depth -= 1;
      return depth > 0 || index === row.length - 1;
    })
  );
}

/** Clauses of JSON functions without an equivalent, with what to write. */
const jsonRemedies: readonly [clause: RegExp, remedy: string][] = [
  [/ wrapper$/, "json_extract(d, '$.a[*]') gives the values as a list"],
  [/ returning /, 'write CAST(json_value(…) AS INTEGER)'],
  [/ on (?:empty|error)$/, 'write coalesce(json_value(…), …)'],
  [/ passing /, 'write the value into the path'],
  [/ (?:keep|omit) quotes/, 'json_extract_scalar gives a text without quotes'],
  [/ absent on null$/, 'leave the key out by CASE'],
  [/ unique keys$/, 'keys are kept as they are written'],
  [/ format json/, 'write json_parse(…)'],
];

const jsonFunctions: ReadonlySet<string> = new Set([
  ...['json_array', 'json_exists', 'json_object', 'json_query', 'json_value'],
]);

/** Rewrites `json_object('a' : 1, KEY 'b' VALUE 2)` to pairs of arguments, and refuses clauses of JSON functions by their remedy. */
export function jsonEdits(tokens: readonly Token[], at: number, sql: string): Edit[] {
  const { text: name = '', start = 0 } = tokens[at - 1] ?? {};
  const place = Buffer.byteLength(sql.slice(0, start));
  if (name === 'json_table')
    throw new Refusal(
      'JSON_TABLE is not supported: write UNNEST(CAST(json_extract(d, …) AS ARRAY(ROW(…))))',
      place,
    );
  if (!jsonFunctions.has(name)) return [];
  const inside = partsOf(tokens, at + 1, new Set([')']));
  return inside.flatMap((part, index) => {
    const words = ` ${part.map(({ kind, text }) => (kind === 'word' ? text : '·')).join(' ')}`;
    const isLast = index === inside.length - 1;
    const isNullKept = isLast && name === 'json_object' && / null on null$/.test(words);
    const kept = isNullKept ? part.slice(0, -3) : part;
    if (!isNullKept) refuseClauses(name, words, place);
    const dropped = isNullKept ? part.slice(-3).map(({ start, end }) => ({ start, end, text: '' })) : [];
    return name === 'json_object' ? [...pairEdits(kept), ...dropped] : dropped;
  });
}

function refuseClauses(name: string, words: string, place: number): void {
  const remedy = jsonRemedies.find(([clause]) => clause.test(words))?.[1];
  if (remedy === undefined) return;
  throw new Refusal(`a clause of ${name} is not supported: ${remedy}`, place);
}

/** Rewrites the pair of a JSON object: `'a' : 1`, `'a' VALUE 1`, `KEY 'a' VALUE 1`. */
function pairEdits(pair: readonly Token[]): Edit[] {
  const edits: Edit[] = [];
  let depth = 0;
  for (const [at, { kind, text, start, end }] of pair.entries()) {
    if (/^[([{]$/.test(text)) depth += 1;
    else if (/^[)\]}]$/.test(text)) depth -= 1;
    if (depth > 0) continue;
    const isColon = text === ':' && pair[at - 1]?.text !== ':' && pair[at + 1]?.text !== ':';
    if (kind === 'word' && text === 'key' && at === 0 && pair.length > 1)
      edits.push({ start, end, text: '' });
    else if (at > 0 && (isColon || (kind === 'word' && text === 'value')))
      edits.push({ start, end, text: ',' });
  }
  return edits;
}
