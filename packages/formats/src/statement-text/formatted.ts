import { type Token, tokensOf } from './tokens.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Words that begin a line of their own, and are written in capitals. All are reserved. */
const clauses = words(
  'select from where having group order limit offset union except intersect with window qualify',
);
/** Words before JOIN, which begins a line with them. */
const joining = words('natural inner left right full cross outer semi anti asof lateral');
/** Further reserved words, which are written in capitals. */
const capitals = words(
  'and or not on using as by in is null case when then else end distinct all asc desc join between like exists',
);

/** Bracket that is open: `indent` within it, and its lines if a query is in it. */
interface Level {
  indent: number;
  isQuery: boolean;
  clause: string;
  /** Set from BETWEEN to its AND. */
  isBetween: boolean;
}

const step = '  ';

/**
 * Lays out a statement: each clause, column and condition on its line. Words, texts and comments stay; only blanks and the case of
 * reserved words change.
 */
export function formatted(sql: string): string {
  const tokens = tokensOf(sql);
  const levels: Level[] = [{ indent: 0, isQuery: true, clause: '', isBetween: false }];
  let text = '';
  for (const [at, token] of tokens.entries()) {
    const level = levels.at(-1) as Level;
    const before = tokens[at - 1];
    const gap = sql.slice(before?.end ?? 0, token.start);
    if (/^[)\]}]$/.test(token.text) && levels.length > 1) levels.pop();
    const line = lineBefore(tokens, at, level, levels);
    text += join(text, gap, line);
    text += isCapital(tokens, at) ? token.text.toUpperCase() : sql.slice(token.start, token.end);
    advance(tokens, at, levels);
  }
  return text + commentOf(sql.slice(tokens.at(-1)?.end ?? 0));
}

/** Returns the indent of the line that a token begins; undefined within a line. */
function lineBefore(
  tokens: readonly Token[],
  at: number,
  level: Level,
  levels: readonly Level[],
): number | undefined {
  const token = tokens[at] as Token;
  const before = tokens[at - 1];
  if (!before) return undefined;
  if (/^[)\]}]$/.test(token.text)) return level.isQuery ? levels.at(-1)?.indent : undefined;
  if (!level.isQuery) return undefined;
  if (before.text === ';') return 0;
  if (before.text === '(') return level.indent;
  if (isWord(tokens, at) && clauses.has(token.text) && !/^(?:by|within|distinct)$/.test(before.text))
    return level.indent;
  if (isJoin(tokens, at)) return level.indent;
  const isList = /^(?:select|with|group|order)$/.test(level.clause);
  if (before.text === ',' && isList) return level.indent + (level.clause === 'with' ? 0 : 1);
  const isCondition = isWord(tokens, at) && /^(?:and|or)$/.test(token.text) && !level.isBetween;
  return isCondition && /^(?:where|having|join)$/.test(level.clause) ? level.indent + 1 : undefined;
}

/** Keeps the clause, and what is open, after a token. */
function advance(tokens: readonly Token[], at: number, levels: Level[]): void {
  const level = levels.at(-1) as Level;
  const { text } = tokens[at] as Token;
  if (/^[([{]$/.test(text)) {
    const isQuery = text === '(' && /^(?:select|with)$/.test(tokens[at + 1]?.text ?? '');
    levels.push({ indent: level.indent + 1, isQuery, clause: '', isBetween: false });
  } else if (text === ';') level.clause = '';
  else if (isWord(tokens, at) && clauses.has(text)) level.clause = text;
  else if (isWord(tokens, at) && text === 'join') level.clause = 'join';
  else if (isWord(tokens, at) && text === 'between') level.isBetween = true;
  else if (isWord(tokens, at) && text === 'and') level.isBetween = false;
}

/** Reports whether a token is a word that is no part of a qualified name. */
function isWord(tokens: readonly Token[], at: number): boolean {
  return tokens[at]?.kind === 'word' && tokens[at - 1]?.text !== '.' && tokens[at + 1]?.text !== '.';
}

function isJoin(tokens: readonly Token[], at: number): boolean {
  if (!isWord(tokens, at)) return false;
  const follows = (from: number): boolean =>
    tokens[from]?.text === 'join' || (joining.has(tokens[from]?.text ?? '') && follows(from + 1));
  return follows(at) && !joining.has(tokens[at - 1]?.text ?? '');
}

function isCapital(tokens: readonly Token[], at: number): boolean {
  const text = tokens[at]?.text ?? '';
  return isWord(tokens, at) && (clauses.has(text) || capitals.has(text) || isJoin(tokens, at));
}

/** Joins two tokens: keeps comments between them, and neither removes nor adds a blank within a line. */
function join(text: string, gap: string, line: number | undefined): string {
  const comment = commentOf(gap);
  if (text === '') return comment === '' ? '' : `${comment.trimStart()}\n`;
  const isLineEnd = comment.includes('--');
  if (line !== undefined || isLineEnd) return `${comment}\n${step.repeat(line ?? 1)}`;
  return comment === '' ? (gap === '' ? '' : ' ') : `${comment} `;
}

/** Returns the comments of a gap, each after a blank. */
function commentOf(gap: string): string {
  const comments = gap.match(/--[^\n]*|\/\*[\s\S]*?\*\//g) ?? [];
  return comments.map((one, at) => (comments[at - 1]?.startsWith('--') ? `\n${one}` : ` ${one}`)).join('');
}
