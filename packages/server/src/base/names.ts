import { type Expression, sql } from 'kysely';

/** Folds a name for comparison regardless of case: NFC and lower case. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Folds an e-mail address for comparison regardless of case. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

/**
 * Returns the smallest string after every string with this prefix, by code point: the end of an index range.
 */
export function prefixEnd(prefix: string): string {
  return `${prefix}\u{10ffff}`;
}

/**
 * Matches names that begin with a text, regardless of case; `keys` is the column of their keys. Greek has two
 * small letters for one capital, chosen by what follows: a prefix ends where the name may continue. A list
 * continued behind a key ordered by name passes `after`: SQLite uses only one lower bound of an index.
 */
export function nameBegins(
  keys: Expression<string>,
  text: string,
  behind?: { key: string; descending: boolean },
): Expression<boolean> {
  const prefix = nameKey(text);
  // An unbounded range would draw SQLite, which has no statistics here, into an index by name.
  if (prefix === '') return sql<boolean>`1 = 1`;
  const certain = prefix.split(/[σς]/, 1).join('');
  const least = behind?.descending === false ? behind.key : certain;
  const end = behind?.descending ? sql`<= ${behind.key}` : sql`< ${prefixEnd(certain)}`;
  const near = sql<boolean>`${keys} >= ${least} AND ${keys} ${end}`;
  if (certain === prefix) return sql`(${near})`;
  const alike = sql`replace(${keys}, 'ς', 'σ')`;
  const wanted = prefix.replaceAll('ς', 'σ');
  return sql`(${near} AND ${alike} >= ${wanted} AND ${alike} < ${prefixEnd(wanted)})`;
}

/** Matches where `keys` holds several keys, each after a line feed: no name and no prefix contains one. */
export function someNameBegins(keys: Expression<string>, text: string): Expression<boolean> {
  const wanted = nameKey(text).replaceAll('ς', 'σ');
  const pattern = `%\n${wanted.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`replace(${keys}, 'ς', 'σ') LIKE ${pattern} ESCAPE '\\'`;
}
