import type { CheckedStatement } from '../engine.ts';
import { asksClock } from './clock.ts';
import { nameForEngine } from './dialect-names.ts';
import { changingStatement, find, secondStatement } from './find-in-text.ts';
import { type InspectionLimits, inspect } from './inspect.ts';
import { quoteStars } from './quote-stars.ts';
import { Refusal } from './refusal.ts';
import { compareRowsByElement } from './row-comparisons.ts';
import { leaveOutSmallCounts } from './small-counts.ts';
import { printTree, readTree, type TreeNode } from './tree.ts';
import { untoldPlace } from './untold-place.ts';
import { keepZones } from './zoned-timestamps.ts';

/** The engine's own reader and printer of syntax trees. */
export interface SyntaxTrees {
  /** `json_serialize_sql`: text → tree as JSON. It does not run anything. */
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
 * Checks a statement and returns the text that may run: printed from the checked tree, read again, and checked again, so
 * that what runs has been seen by the guard in exactly the form in which it runs.
 */
export async function checkStatement(
  sql: string,
  tableNames: readonly string[],
  limits: InspectionLimits & { countsMin?: number },
  trees: SyntaxTrees,
): Promise<CheckedStatement> {
  const tables = new Map(tableNames.map((name) => [name.toLowerCase(), name]));
  const tree = keepDoubles(await trees.serialize(sql));
  inspectSent(readStatement(tree, sql), sql, tables, limits);
  const canonical = await trees.deserialize(rewrite(tree, limits.countsMin ?? 0));
  // What is ours in it makes a statement longer: a row that is compared with many is written down for each.
  const longer = { ...limits, nodesMax: limits.nodesMax * 3 };
  const last = await trees.serialize(canonical);
  const used = inspectAgain(last, canonical, tables, longer);
  return {
    sql: canonical,
    tables: [...used].sort(),
    ...(limits.countsMin && { discreet: true }),
    ...(asksClock(readTree(last)) && { asksClock: true }),
  };
}

/** What is ours to change in a statement that passed: what means something else in the dialect, and what is about too few patients. */
function rewrite(tree: string, countsMin: number): string {
  const changed = readTree(tree);
  nameForEngine(changed);
  compareRowsByElement(changed);
  keepZones(changed);
  const [statement] = changed['statements'] as TreeNode[];
  if (countsMin > 0 && statement) leaveOutSmallCounts(statement, countsMin);
  quoteStars(changed);
  return printTree(changed);
}

/** Adds the place of what the tree has none for. */
function inspectSent(
  statement: unknown,
  sql: string,
  tables: ReadonlyMap<string, string>,
  limits: InspectionLimits,
): void {
  try {
    inspect(statement, tables, limits);
  } catch (error) {
    if (!(error instanceof Refusal) || error.sought === undefined) throw error;
    throw error.sought === 'name'
      ? placed(error.message, sql)
      : new Refusal(error.message, find(sql, error.sought));
  }
}

/** Offsets in the canonical text say nothing to the person who wrote another. */
function inspectAgain(
  tree: string,
  canonical: string,
  tables: ReadonlyMap<string, string>,
  limits: InspectionLimits,
): Set<string> {
  try {
    return inspect(readStatement(keepDoubles(tree), canonical), tables, limits);
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal(error.message);
    throw error;
  }
}

/**
 * The only statement of a serialised text. The tree is only looked at in this form; what is printed and run comes from
 * the JSON text itself, so that numbers beyond 2^53 never lose digits.
 */
function readStatement(tree: string, sql: string): unknown {
  const { error, error_message, position, statements } = parseTree(tree);
  if (error !== false) throw syntaxRefusal(String(error_message), position, sql);
  if (!Array.isArray(statements) || statements.length === 0) {
    throw new Refusal('there is no statement: write a SELECT');
  }
  if (statements.length > 1) {
    throw new Refusal('only one statement can be run at a time', secondStatement(sql));
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
  if (message.startsWith('Only SELECT statements')) {
    return /\bpivot\b/i.test(sql)
      ? placed("PIVOT needs its values written out: PIVOT … ON column IN ('a', 'b')", sql)
      : new Refusal('only a SELECT can be run', changingStatement(sql));
  }
  // All that the engine says of MySQL's LIMIT 10, 5 is this.
  if (message.startsWith('errhint'))
    return placed('LIMIT takes one number: write LIMIT 5 OFFSET 10, not LIMIT 10, 5', sql);
  // The engine would advise a setting, which nobody may change here.
  if (message.includes('expression depth limit')) {
    return new Refusal(
      'operators and calls stand too deeply within each other: at most 1000 levels can be read',
    );
  }
  const offset = typeof position === 'string' && /^\d{1,9}$/.test(position) ? Number(position) : undefined;
  const sentence = message
    .replace(/\s+/g, ' ')
    .replace(/(?<![.! ])[.! ]+$/, '')
    .trim();
  return offset === undefined ? placed(sentence, sql) : new Refusal(sentence, offset);
}

const placed = (message: string, sql: string): Refusal => new Refusal(message, untoldPlace(sql, message));

/** Quotes inside texts are escaped in JSON, so the pattern cannot match inside one. */
const doubleConstant =
  /\{"class":"CONSTANT","type":"VALUE_CONSTANT",("alias":"(?:[^"\\]|\\.)*","query_location":\d+),"value":\{"type":\{"id":"DOUBLE","type_info":null\},"is_null":false,"value":([^{}",]+)\}\}/g;

/**
 * The engine prints the DOUBLE 1e5 as `100000.0`, which reads back as a DECIMAL, and 1e400 as what JSON does not have. A cast of its
 * text keeps both.
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
