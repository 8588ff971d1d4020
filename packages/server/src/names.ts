import { type Expression, sql } from 'kysely';

/** A name folded for comparison without regard to case: normalised (NFC) and lower case. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** E-mail addresses are compared without regard to case. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

/** The least text that sorts after every text with this prefix, by code point; for index ranges. */
export function prefixEnd(prefix: string): string {
  return `${prefix}\u{10ffff}`;
}

/**
 * Whether a name begins with a text, without regard to case; `keys` is the column of its key. Greek has two small letters for one
 * capital, and which one it becomes depends on what follows: a prefix ends where the name may go on. A list that goes on behind a key
 * in the order of names says so: SQLite takes only one bound of an index, and should not begin with the prefix again.
 */
export function nameBegins(
  keys: Expression<string>,
  text: string,
  behind?: { key: string; descending: boolean },
): Expression<boolean> {
  const prefix = nameKey(text);
  // A range of everything would draw SQLite, which knows no numbers, into an index by name.
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

/** The same where `keys` holds several keys, each after a line feed, which no name and no prefix of one can hold. */
export function someNameBegins(keys: Expression<string>, text: string): Expression<boolean> {
  const wanted = nameKey(text).replaceAll('ς', 'σ');
  const pattern = `%\n${wanted.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`replace(${keys}, 'ς', 'σ') LIKE ${pattern} ESCAPE '\\'`;
}
