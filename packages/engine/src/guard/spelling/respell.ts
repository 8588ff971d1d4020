import { type Edit, type Token, tokensOf } from '@ploidy/formats/statement-text';
import { literal } from '../../task-runtime/quote.ts';
import { Refusal } from '../refusal.ts';
import { jsonEdits, valuesEdits } from './clauses.ts';
import { readType } from './types.ts';

/** Statement in the engine's spelling. */
export interface Respelled {
  sql: string;
  /** Returns the place in the text that was sent (bytes) of a place in `sql`. */
  placeOf(offset: number): number;
}

/** An opening bracket, and the word before it. */
interface Frame {
  word: string;
  commas: number;
}

/** Aggregates with `WITHIN GROUP (ORDER BY …)` in Presto, and the order among their arguments in the engine. */
const ordered: ReadonlySet<string> = new Set(['listagg', 'string_agg', 'array_agg']);

/** Rewrites forms of the dialect that the engine's parser does not read, or reads as something else. */
export function respell(sql: string): Respelled {
  return edited(sql, editsOf(tokensOf(sql), sql));
}

/** Applies edits that do not overlap, in their order. */
export function edited(sql: string, edits: readonly Edit[]): Respelled {
  if (edits.length === 0) return { sql, placeOf: (offset) => offset };
  let text = '';
  let done = 0;
  for (const edit of edits) {
    text += sql.slice(done, edit.start) + edit.text;
    done = edit.end;
  }
  const respelled = text + sql.slice(done);
  return { sql: respelled, placeOf: (offset) => placeBefore(sql, respelled, edits, offset) };
}

/** Runs `work` on the respelled statement; a refusal gets its place in the text that was sent. */
export async function withRespelled<T>(sql: string, work: (sql: string) => Promise<T>): Promise<T> {
  const respelled = respell(sql);
  try {
    return await work(respelled.sql);
  } catch (error) {
    if (!(error instanceof Refusal) || error.offset === undefined) throw error;
    throw error.at(respelled.placeOf(error.offset));
  }
}

function editsOf(tokens: readonly Token[], sql: string): Edit[] {
  const edits: Edit[] = [];
  const frames: Frame[] = [];
  for (const [at, token] of tokens.entries()) {
    const frame = frames.at(-1);
    if (token.kind === 'word' && token.text === 'values') edits.push(...valuesEdits(tokens, at));
    if (token.text === 'group') edits.push(...groupEdits(tokens, at));
    if (token.kind === 'other' && /^0[box]/i.test(token.text)) edits.push(...numberEdits(token));
    if (token.kind === 'text') edits.push(...textEdits(token, sql), ...typedEdits(tokens, at, sql));
    else if (/^[([{]$/.test(token.text)) {
      frames.push({ word: wordBefore(tokens, at), commas: 0 });
      if (token.text === '(') edits.push(...jsonEdits(tokens, at, sql));
    } else if (token.text === ',' && frame) frame.commas += 1;
    else if (token.text === ')' && frame) edits.push(...closingEdits(tokens, at, frame));
    else if (token.text === 'as' && frame && /^(?:try_)?cast$/.test(frame.word))
      edits.push(...typeEdits(tokens, at + 1, sql));
    if (/^[)\]}]$/.test(token.text)) frames.pop();
  }
  return edits.sort((one, other) => one.start - other.start);
}

function wordBefore(tokens: readonly Token[], at: number): string {
  const before = tokens[at - 1];
  return tokens[at]?.text === '(' && before?.kind === 'word' ? before.text : '';
}

/** Rewrites `X'4142'` as bytes, and `U&'\00e9'` as a letter; the engine reads the first as a string. */
function textEdits(token: Token, sql: string): Edit[] {
  const { start, end, text } = token;
  if (/^x/i.test(text)) {
    const digits = text.slice(2, -1).replace(/\s/g, '');
    if (!/^(?:[0-9a-f]{2})*$/i.test(digits))
      throw new Refusal("X'…' holds pairs of hexadecimal digits", Buffer.byteLength(sql.slice(0, start)));
    return [{ start, end, text: `from_hex('${digits}')` }];
  }
  if (!/^u&/i.test(text)) return [];
  const decoded = text
    .slice(3, -1)
    .replaceAll("''", "'")
    .replace(/\\(?:\+([0-9a-f]{6})|([0-9a-f]{4})|(\\))/gi, (whole, long?: string, short?: string) => {
      const code = Number.parseInt(long ?? short ?? '5c', 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    });
  return [{ start, end, text: literal(decoded) }];
}

/** Rewrites a text behind the name of a type, as drivers write parameters. */
function typedEdits(tokens: readonly Token[], at: number, sql: string): Edit[] {
  const [word, token] = [tokens[at - 1], tokens[at]];
  if (!token || word?.kind !== 'word') return [];
  if (word.text === 'decimal') return decimalEdits(word, token, sql);
  // `UTC+05:30` is an offset, which the engine reads without the name.
  const offset = word.text === 'timestamp' && /\s(?:UTC|GMT|UT)(?=[+-]\d[\d:]*'$)/.exec(token.text);
  if (!offset) return [];
  const start = token.start + offset.index;
  return [{ start, end: start + offset[0].length, text: '' }];
}

/** Rewrites `DECIMAL '0.0005'` to a cast that keeps its digits: the engine rounds it to three behind the point. */
function decimalEdits(word: Token, token: Token, sql: string): Edit[] {
  const written = /^'[+-]?(?<whole>\d*)(?:\.(?<fraction>\d*))?'$/.exec(token.text)?.groups;
  const { whole = '', fraction = '' } = written ?? {};
  const digits = Math.max(1, whole.replace(/^0+/, '').length + fraction.length);
  if (!written || digits > decimalDigitsMax || !/\d/.test(token.text))
    throw new Refusal(
      `DECIMAL '…' holds up to ${decimalDigitsMax} digits and a point`,
      Buffer.byteLength(sql.slice(0, token.start)),
    );
  // A digit before the point, as in a number that is written without the word.
  const width = Math.min(decimalDigitsMax, Math.max(digits, fraction.length + 1));
  const text = `CAST(${token.text} AS DECIMAL(${width}, ${fraction.length}))`;
  return [{ start: word.start, end: token.end, text }];
}

const decimalDigitsMax = 38;

/** Rewrites `0x1F`, `0b11` and `0o17` to decimal digits: the engine reads a zero under an alias. */
function numberEdits({ text, start, end }: Token): Edit[] {
  const digits = text.replaceAll('_', '');
  const isNumber = /^0(?:b[01]+|o[0-7]+|x[0-9a-f]+)$/i.test(digits);
  return isNumber ? [{ start, end, text: String(BigInt(digits.toLowerCase())) }] : [];
}

/** Words that follow a whole GROUP BY. */
const afterGroups = /^(?:having|window|qualify|union|except|intersect|order|limit|offset|fetch|\)|;)$/;

/** Rewrites `GROUP BY AUTO` to the engine's `GROUP BY ALL`, and `GROUP BY ALL x` to `GROUP BY x`. */
function groupEdits(tokens: readonly Token[], at: number): Edit[] {
  const [by, word, following] = tokens.slice(at + 1, at + 4);
  if (by?.text !== 'by' || word?.kind !== 'word') return [];
  const isLast = following === undefined || afterGroups.test(following.text);
  if (word.text === 'auto' && isLast) return [{ start: word.start, end: word.end, text: 'ALL' }];
  return word.text === 'all' && !isLast ? [{ start: word.start, end: word.end, text: '' }] : [];
}

/** Functions of the clock with a precision, which the engine does not take. */
const clockWord = /^(?:current_time|current_timestamp|localtime|localtimestamp)$/;

function closingEdits(tokens: readonly Token[], at: number, frame: Frame): Edit[] {
  const closing = tokens[at];
  const [first, second, third] = tokens.slice(at + 1, at + 4);
  if (!closing || frame.word === '') return [];
  const { start, end } = closing;
  const [word, opening, digits] = tokens.slice(Math.max(0, at - 3), at);
  if (clockWord.test(word?.text ?? '') && opening && /^\d+$/.test(digits?.text ?? ''))
    return [{ start: opening.start, end, text: '' }];
  if (frame.word === 'if' && frame.commas === 1) return [{ start, end: start, text: ', NULL' }];
  // lag(x) IGNORE NULLS OVER (…): the engine has the words inside the parentheses.
  if ((first?.text === 'ignore' || first?.text === 'respect') && second?.text === 'nulls')
    return [
      { start, end, text: ' ' },
      { start: second.end, end: second.end, text: ')' },
    ];
  const isWithin = first?.text === 'within' && second?.text === 'group' && third?.text === '(';
  if (!isWithin || !ordered.has(frame.word)) return [];
  return [
    { start, end, text: ' ' },
    { start: first.start, end: third.end, text: ' ' },
  ];
}

/** Rewrites the type of a cast where the engine's parser would not read it. */
function typeEdits(tokens: readonly Token[], at: number, sql: string): Edit[] {
  const type = readType(tokens, at);
  const [first, last] = [tokens[at], tokens[(type?.next ?? 0) - 1]];
  if (!type || !first || !last || tokens[type.next]?.text !== ')') return [];
  const written = sql.slice(first.start, last.end);
  const plain = (text: string): string => text.replace(/\s+/g, '').toLowerCase();
  if (plain(written) === plain(type.text)) return [];
  return [{ start: first.start, end: last.end, text: type.text }];
}

function placeBefore(sent: string, respelled: string, edits: readonly Edit[], offset: number): number {
  const place = Buffer.from(respelled).subarray(0, offset).toString().length;
  let shift = 0;
  for (const { start, end, text } of edits) {
    if (place < start + shift) break;
    if (place < start + shift + text.length) return Buffer.byteLength(sent.slice(0, start));
    shift += text.length - (end - start);
  }
  return Buffer.byteLength(sent.slice(0, place - shift));
}
