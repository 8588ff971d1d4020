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
 * The value of a key in a fixed table; NULL when it has none. `key` is a plain column: it is computed again for each entry. (A
 * constant MAP is ten times as slow.)
 */
export function lookUp(key: string, table: Iterable<readonly [string, string]>): string {
  const cases = [...table].map(([from, to]) => `WHEN ${literal(from)} THEN ${literal(to)}`);
  return `CASE ${key} ${cases.join(' ')} END`;
}
