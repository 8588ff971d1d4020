/** A value as SQL text. Control characters need no escape: the engine takes any UTF-8 between quotes but NUL. */
export function literal(value: string | undefined): string {
  if (value === undefined) return 'NULL';
  return `'${value.replaceAll('\0', '').replaceAll("'", "''")}'`;
}

/** Values as a list for `IN (…)` or, in brackets, as a list value. */
export function literals(values: Iterable<string>): string {
  return [...values].map(literal).join(', ');
}

/** A look-up written as CASE: short enough, and nothing is hashed. Without a match: `otherwise`. */
export function lookUp(
  subject: string,
  entries: Iterable<readonly [string, string]>,
  otherwise: string,
): string {
  const cases = [...entries].map(([from, to]) => `WHEN ${literal(from)} THEN ${literal(to)}`);
  return `CASE ${subject} ${cases.join(' ')} ELSE ${otherwise} END`;
}

/** The first of some expressions that is not NULL; undefined when there is none to choose from. */
export function firstOf(expressions: readonly (string | undefined)[]): string | undefined {
  const present = expressions.filter((expression) => expression !== undefined);
  return present.length > 1 ? `coalesce(${present.join(', ')})` : present[0];
}

/** `%3B` → `;` (VCF 4.3 §1.2). A percent sign that starts no code stays, and so does a code that is no UTF-8. */
export function decoded(value: string): string {
  return `CASE WHEN contains(${value}, '%') THEN coalesce(TRY(url_decode(${value})), ${value}) ELSE ${value} END`;
}

/** Raised inside a statement for a line that is no record; the checking pass then says which, and why. */
export const brokenLine = 'BROKEN_LINE';
