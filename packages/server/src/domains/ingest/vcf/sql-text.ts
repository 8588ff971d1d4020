/** A value as SQL text. */
export function literal(value: string | undefined): string {
  if (value === undefined) return 'NULL';
  return `'${value.replaceAll('\0', '').replaceAll("'", "''")}'`;
}

/** Values for `IN (…)` or, in brackets, a list value. */
export function literals(values: Iterable<string>): string {
  return [...values].map(literal).join(', ');
}

/**
 * The value of a key in a fixed table; NULL when it has none. `key` is a plain column or lambda parameter: it is computed again
 * for each entry. (A constant MAP is ten times as slow.)
 */
export function lookUp(key: string, table: Iterable<readonly [string, string | number]>): string {
  const value = (to: string | number): string => (typeof to === 'number' ? String(to) : literal(to));
  const cases = [...table].map(([from, to]) => `WHEN ${literal(from)} THEN ${value(to)}`);
  return `CASE ${key} ${cases.join(' ')} END`;
}

/** The first of some expressions that is not NULL; undefined when there is none to choose from. */
export function firstOf(expressions: readonly (string | undefined)[]): string | undefined {
  const present = expressions.filter((expression) => expression !== undefined);
  return present.length > 1 ? `coalesce(${present.join(', ')})` : present[0];
}

/**
 * `%3B` → `;` (VCF 4.3 §1.2). A percent sign that starts no code stays, and so does a code that is no UTF-8. `column` is a plain
 * column: the engine computes an expression that stands in a CASE once per place.
 */
export function decoded(column: string): string {
  return `CASE WHEN contains(${column}, '%') THEN coalesce(TRY(url_decode(${column})), ${column}) ELSE ${column} END`;
}

/** NULL for the ways in which VCF writes nothing. `column` is a plain column. */
export function unlessMissing(column: string): string {
  return `CASE WHEN ${column} = '' OR ${column} = '.' THEN NULL ELSE ${column} END`;
}

/** One more layer of a statement: what the layer below gives, and these expressions by name. */
export function adding(
  relation: string,
  expressions: Iterable<readonly [name: string, sql: string]>,
): string {
  const columns = [...expressions].map(([name, sql]) => `${sql} AS ${name}`);
  return columns.length === 0 ? relation : `SELECT *, ${columns.join(', ')} FROM (${relation})`;
}

/** Raised inside a statement for a line that is no record; the checking pass then says which, and why. */
export const brokenLine = 'BROKEN_LINE';
