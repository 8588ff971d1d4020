import { type Token, tokensOf } from './tokens.ts';

/** Types of the values of parameters. */
export const parameterTypes = ['text', 'number', 'date', 'boolean'] as const;

/** Value for a parameter of a statement, as it is typed. */
export interface Parameter {
  name: string;
  type: (typeof parameterTypes)[number];
  value: string;
}

/** A word that begins with a dollar sign, as `$gene`, with its place. */
interface Placeholder {
  name: string;
  start: number;
  end: number;
}

/** Returns the names of the parameters of a text in their order, each once: words behind a dollar sign. */
export function parameterNames(sql: string): string[] {
  return [...new Set(placeholders(sql).map(({ name }) => name))];
}

function placeholders(sql: string): Placeholder[] {
  const tokens = tokensOf(sql);
  return tokens.flatMap((token, at) => {
    const word = tokens[at + 1];
    if (token.text !== '$' || !word || !isNameAfter(token, word)) return [];
    return [{ name: sql.slice(word.start, word.end), start: token.start, end: word.end }];
  });
}

const isNameAfter = (sign: Token, word: Token): boolean => word.kind === 'word' && word.start === sign.end;

/** Returns the fault of a value, as the end of a sentence; undefined without one. */
export function parameterFault({ type, value }: Pick<Parameter, 'type' | 'value'>): string | undefined {
  if (type === 'text') return value.includes('\0') ? 'must not hold the character NUL' : undefined;
  if (type === 'number') return isNumber.test(value) ? undefined : 'must be a number such as 12 or 0.5';
  if (type === 'boolean') return /^(?:true|false)$/.test(value) ? undefined : 'must be true or false';
  return isDate(value) ? undefined : 'must be a date such as 2026-11-30';
}

const isNumber = /^-?\d{1,38}(?:\.\d{1,38})?(?:e[+-]?\d{1,3})?$/i;

function isDate(value: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

/**
 * Puts values in place of parameters. Each becomes one literal of its type, whatever it holds: a value never becomes a word of
 * the statement. Values must be without `parameterFault`, and there must be one for each name.
 */
export function bindParameters(sql: string, values: readonly Parameter[]): string {
  let text = '';
  let done = 0;
  for (const { name, start, end } of placeholders(sql)) {
    const found = values.find((one) => one.name === name);
    if (!found || parameterFault(found) !== undefined) throw new Error('A parameter has no valid value.');
    text += `${sql.slice(done, start)} ${literalOf(found)} `;
    done = end;
  }
  return text + sql.slice(done);
}

/** Returns a text as an SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function literalOf({ type, value }: Parameter): string {
  if (type === 'text') return literal(value);
  if (type === 'date') return `DATE ${literal(value)}`;
  // Two signs in a row would begin a comment.
  return value.startsWith('-') ? `(${value})` : value;
}
