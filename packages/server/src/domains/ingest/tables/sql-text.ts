/** A value as SQL text. */
export function literal(value: string | undefined): string {
  if (value === undefined) return 'NULL';
  return `'${value.replaceAll('\0', '').replaceAll("'", "''")}'`;
}
