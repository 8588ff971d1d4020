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
 * capital, and which one it becomes depends on what follows: a prefix ends where the name may go on.
 */
export function nameBegins(keys: Expression<string>, text: string): Expression<boolean> {
  const prefix = nameKey(text);
  const certain = prefix.split(/[σς]/, 1).join('');
  const near = sql<boolean>`${keys} >= ${certain} AND ${keys} < ${prefixEnd(certain)}`;
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
