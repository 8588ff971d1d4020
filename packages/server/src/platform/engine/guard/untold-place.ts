import { offsetOf, type Word, wordsOf } from './find-in-text.ts';

/** Words that begin a part of a statement: a SELECT before one of them selects nothing. */
const parts =
  /^(?:from|into|where|group|having|window|qualify|order|limit|offset|union|intersect|except|\))$/;
const before = /^(?:select|distinct|all|,|\.)$/;

/** What the engine says, and the word where the part that it speaks of begins. */
const beginnings: [
  says: RegExp,
  begins: (word: Word, next: Word | undefined, last: Word | undefined) => boolean,
][] = [
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
 * Where a mistake stands of which the engine tells no place, in bytes: the name that its message gives, else the part that the message
 * speaks of, else the beginning of the statement.
 */
export function untoldPlace(sql: string, message: string): number | undefined {
  const words = wordsOf(sql);
  const name = (/^column (.+?) must appear/.exec(message) ?? /"((?:[^"]|"")+)"/.exec(message))?.[1];
  const spellings = [name?.toLowerCase(), `"${name?.toLowerCase()}"`];
  const begins = beginnings.find(([says]) => says.test(message))?.[1];
  const found =
    (name !== undefined && words.find(({ text }) => spellings.includes(text))) ||
    (begins && words.find((word, at) => begins(word, words[at + 1], words[at - 1]))) ||
    words[0];
  return offsetOf(sql, found);
}

const clauses = /^(?:select|from|where|group|having|window|qualify|order|limit|offset)$/;

/** Whether a place (in bytes) is within LIMIT or OFFSET, of which the engine says that a FROM is missing when they name a column. */
export function isInLimit(sql: string, offset: number): boolean {
  const last = wordsOf(sql).findLast(
    (word) => clauses.test(word.text) && (offsetOf(sql, word) ?? 0) < offset,
  );
  return last?.text === 'limit' || last?.text === 'offset';
}
