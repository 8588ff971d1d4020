import type { CheckedStatement } from '../engine.ts';
import { identifier } from '../task-runtime/quote.ts';
import { conditionsOf } from './conditions.ts';
import { type InspectionLimits, inspect } from './inspect.ts';
import { Refusal } from './refusal.ts';
import { rewriteClauses } from './rewrite/clauses.ts';
import { nameForEngine } from './rewrite/dialect-names.ts';
import { rewriteLambdaFunctions } from './rewrite/lambda-functions.ts';
import { compareRowsByElement } from './rewrite/row-comparisons.ts';
import { sortResult } from './rewrite/row-order.ts';
import { leaveOutSmallCounts } from './rewrite/small-counts.ts';
import { hideTriedCasts } from './rewrite/tried-casts.ts';
import { keepZones } from './rewrite/zoned-timestamps.ts';
import { remedyOf } from './spelling/remedies.ts';
import { withRespelled } from './spelling/respell.ts';
import { printTree, readTree, type TreeNode, walk } from './tree.ts';

/** The engine's own reader and printer of syntax trees. */
export interface SyntaxTrees {
  /** `json_serialize_sql`: text → tree as JSON. It runs nothing. */
  serialize(sql: string): Promise<string>;
  /** `json_deserialize_sql`: tree as JSON → text. */
  deserialize(tree: string): Promise<string>;
}

interface Serialized {
  error?: unknown;
  error_message?: unknown;
  position?: unknown;
  statements?: unknown;
}

/**
 * Checks a statement and returns the text that may run: printed from the checked tree, read again, and checked again. So the
 * guard has seen the text in exactly the form in which it runs.
 */
export async function checkStatement(
  sql: string,
  tableNames: readonly string[],
  limits: InspectionLimits & { countsMin?: number | undefined },
  trees: SyntaxTrees,
): Promise<CheckedStatement> {
  return withRespelled(sql, (respelled) => checkRespelled(respelled, tableNames, limits, trees));
}

async function checkRespelled(
  sql: string,
  tableNames: readonly string[],
  limits: InspectionLimits & { countsMin?: number | undefined },
  trees: SyntaxTrees,
): Promise<CheckedStatement> {
  const tables = new Map(tableNames.map((name) => [name.toLowerCase(), name]));
  const tree = keepDoubles(await trees.serialize(sql));
  inspect(readStatement(tree, sql), tables, limits);
  const { changed, sortsTables } = rewrite(tree, limits.countsMin);
  const canonical = await trees.deserialize(changed);
  // Rewriting lengthens a statement: a row is repeated for each row that it is compared with.
  const longer = { ...limits, nodesMax: limits.nodesMax * 3 };
  const last = await trees.serialize(canonical);
  const used = inspectAgain(last, tables, longer);
  const checked = readTree(last);
  const conditions = conditionsOf(checked, tables);
  return {
    sql: canonical,
    tables: [...used].sort(),
    ...(sortsTables && { sortsTables }),
    // An error quotes the value of the first row that fails, which is the first by real ids.
    ...(limits.countsMin !== undefined && { discreet: true }),
    ...(asksClock(checked) && { asksClock: true }),
    ...(conditions && { conditions }),
  };
}

/**
 * Rewrites the differences between the dialect and the engine. For a caller of masked data (`countsMin`) it omits counts of too
 * few patients and hides the order of rows.
 */
function rewrite(tree: string, countsMin: number | undefined): { changed: string; sortsTables: boolean } {
  const changed = readTree(tree);
  rewriteClauses(changed);
  rewriteLambdaFunctions(changed);
  nameForEngine(changed);
  compareRowsByElement(changed);
  keepZones(changed);
  hideTriedCasts(changed);
  const [statement] = changed['statements'] as TreeNode[];
  if (countsMin && statement) leaveOutSmallCounts(statement, countsMin);
  const sortsTables = countsMin !== undefined && statement !== undefined && !sortResult(statement);
  quoteStars(changed);
  return { changed: printTree(changed), sortsTables };
}

/** Quotes the table of `"my table".*`: the engine prints it without quotes, and cannot read that again. */
function quoteStars(tree: TreeNode): void {
  walk(tree, ({ node }) => {
    const table = node['relation_name'];
    if (node['class'] === 'STAR' && typeof table === 'string' && table !== '')
      node['relation_name'] = identifier(table);
    return true;
  });
}

/** Inspects the canonical text. Its offsets are dropped: they do not apply to the text that was sent. */
function inspectAgain(
  tree: string,
  tables: ReadonlyMap<string, string>,
  limits: InspectionLimits,
): Set<string> {
  try {
    return inspect(readStatement(keepDoubles(tree), ''), tables, limits);
  } catch (error) {
    if (error instanceof Refusal) throw error.at(undefined);
    throw error;
  }
}

/**
 * Returns the only statement of a serialised text. The tree is only inspected in this form; the JSON text itself is printed and
 * run, so that numbers beyond 2^53 never lose digits.
 */
function readStatement(tree: string, sql: string): unknown {
  const { error, error_message, position, statements } = parseTree(tree);
  if (error !== false) throw syntaxRefusal(String(error_message), position, sql);
  if (!Array.isArray(statements) || statements.length === 0) {
    throw new Refusal('there is no statement: write a SELECT', undefined, 'syntax');
  }
  if (statements.length > 1) {
    throw new Refusal('only one statement can be run at a time');
  }
  return statements[0];
}

function parseTree(tree: string): Serialized {
  try {
    return JSON.parse(tree);
  } catch (error) {
    // The engine prints numbers that JSON does not have (Infinity, NaN).
    if (error instanceof SyntaxError) throw new Refusal('a number in the statement is out of range');
    throw error;
  }
}

function syntaxRefusal(message: string, position: unknown, sql: string): Refusal {
  const offset = typeof position === 'string' && /^\d{1,9}$/.test(position) ? Number(position) : undefined;
  const remedy = remedyOf(sql);
  if (remedy !== undefined) return new Refusal(remedy, offset, 'syntax');
  if (message.startsWith('Only SELECT statements')) {
    return new Refusal("only a SELECT can be run, and PIVOT only with its values: ON column IN ('a', 'b')");
  }
  // The engine's whole message about MySQL's LIMIT 10, 5.
  if (message.startsWith('errhint'))
    return new Refusal('LIMIT accepts one number: write LIMIT 5 OFFSET 10, not LIMIT 10, 5');
  // The engine would advise a setting that no statement may change.
  if (message.includes('expression depth limit')) {
    return new Refusal(
      'operators and calls stand too deeply within each other: at most 1000 levels can be read',
    );
  }
  const sentence = message
    .replace(/\s+/g, ' ')
    .replace(/(?<![.! ])[.! ]+$/, '')
    .trim();
  return new Refusal(sentence, offset, 'syntax');
}

/** Quotes inside texts are escaped in JSON, so the pattern cannot match inside one. */
const doubleConstant =
  /\{"class":"CONSTANT","type":"VALUE_CONSTANT",("alias":"(?:[^"\\]|\\.)*","query_location":\d+),"value":\{"type":\{"id":"DOUBLE","type_info":null\},"is_null":false,"value":([^{}",]+)\}\}/g;

/**
 * Keeps a DOUBLE as a cast of its text. The engine prints 1e5 as `100000.0`, which it reads back as a DECIMAL. It prints 1e400
 * as a number that JSON does not have.
 */
export function keepDoubles(tree: string): string {
  return tree.replace(
    doubleConstant,
    (_, place: string, value: string) =>
      `{"class":"CAST","type":"OPERATOR_CAST",${place},"child":{"class":"CONSTANT","type":"VALUE_CONSTANT","alias":"",` +
      `"query_location":0,"value":{"type":{"id":"VARCHAR","type_info":null},"is_null":false,"value":"${value}"}},` +
      `"cast_type":{"id":"DOUBLE","type_info":null},"try_cast":false}`,
  );
}

/** Functions whose value depends on the moment in which they are called. */
const clockFunctions = new Set([
  ...['ago', 'current_date', 'current_localtime', 'current_localtimestamp', 'get_current_time'],
  ...['get_current_timestamp', 'now', 'today', 'transaction_timestamp', 'uuidv7'],
]);

/** Functions written without parentheses: in the tree they are columns, and a column of that name takes precedence. */
const clockWords = new Set([
  'current_date',
  'current_time',
  'current_timestamp',
  'localtime',
  'localtimestamp',
]);

/** Returns whether a statement may give another result at another time over the same data. */
function asksClock(tree: TreeNode): boolean {
  let asks = false;
  walk(tree, ({ node }) => {
    asks ||= isOfClock(node);
    return !asks;
  });
  return asks;
}

function isOfClock({ class: kind, function_name: name, column_names: names, children }: TreeNode): boolean {
  if (kind === 'COLUMN_REF')
    return Array.isArray(names) && clockWords.has(String(names.at(-1)).toLowerCase());
  const called = String(name).toLowerCase();
  // `age` of one moment is its distance from now.
  return clockFunctions.has(called) || (called === 'age' && Array.isArray(children) && children.length === 1);
}
