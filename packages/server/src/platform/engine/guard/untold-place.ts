import { offsetOf, type Word, wordsOf } from './find-in-text.ts';

/** Words that begin a part of a statement: a SELECT before one of them selects nothing. */
const parts =
  /^(?:from|into|where|group|having|window|qualify|order|limit|offset|union|intersect|except|\))$/;
const before = /^(?:select|distinct|all|,|\.)$/;

type Neighbour = Word | undefined;
type Fits = (word: Word, next: Neighbour, last: Neighbour) => boolean;

/** What the engine says, and the word where the part that it speaks of begins. */
const beginnings: [says: RegExp, begins: Fits][] = [
  [
    /^SELECT clause without selection list/,
    ({ text }, next) => text === 'select' && (next === undefined || parts.test(next.text)),
  ],
  [/^Set operations can only/, ({ text }) => /^(?:union|intersect|except)$/.test(text)],
  [/^SELECT INTO/, ({ text }) => text === 'into'],
  [/^\* expression without FROM/, ({ text }, _, last) => text === '*' && before.test(last?.text ?? '')],
  [/^VALUES lists/, ({ text }) => text === 'values'],
  [/^GROUP BY/, ({ text }, next) => text === 'group' && next?.text === 'by'],
  [/^LIMIT takes/, ({ text }) => text === 'limit'],
  [/^PIVOT needs/, ({ text }) => text === 'pivot'],
];

/**
 * Where a mistake stands of which the engine tells no place, in bytes: the name that its message gives, or the part that the message
 * speaks of, when it is there once; else the beginning of the statement. A wrong place would be worse than none.
 */
export function untoldPlace(sql: string, message: string): number | undefined {
  const words = wordsOf(sql);
  const fits = named(message) ?? beginnings.find(([says]) => says.test(message))?.[1];
  const found = fits ? words.filter((word, at) => fits(word, words[at + 1], words[at - 1])) : [];
  return offsetOf(sql, found.length === 1 ? found[0] : words[0]);
}

function named(message: string): Fits | undefined {
  const [, written] = /^column (.+?) must appear/.exec(message) ?? /"((?:[^"]|"")+)"/.exec(message) ?? [];
  if (written === undefined) return undefined;
  const name = written.toLowerCase();
  // It is written again wherever the query is read.
  const isHead: Fits = (_, next, last) =>
    /^(?:with|recursive|,)$/.test(last?.text ?? '') && /^(?:as|\()$/.test(next?.text ?? '');
  const isThere = message.includes('of a WITH query') ? isHead : () => true;
  return (word, next, last) => [name, `"${name}"`].includes(word.text) && isThere(word, next, last);
}

const clauses = /^(?:select|from|where|group|having|window|qualify|order|limit|offset)$/;
/** Behind one of these even such a word is a name. */
const beforeName = /^(?:as|[.,{])$/;

/** Whether a place (in bytes) is within LIMIT or OFFSET, of which the engine says that a FROM is missing when they name a column. */
export function isInLimit(sql: string, offset: number): boolean {
  const place = Buffer.from(sql).subarray(0, offset).toString().length;
  const words = wordsOf(sql);
  let closed = 0;
  for (let at = words.findLastIndex(({ index }) => index < place); at >= 0; at -= 1) {
    const { text } = words[at] as Word;
    if (text === ')') closed += 1;
    else if (text === '(') closed = Math.max(0, closed - 1);
    else if (closed === 0 && clauses.test(text) && !beforeName.test(words[at - 1]?.text ?? ''))
      return text === 'limit' || text === 'offset';
  }
  return false;
}
