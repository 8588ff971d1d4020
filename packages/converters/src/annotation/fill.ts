import { alleleColumns, annotatedColumns } from '@ploidy/formats/tables';

/*
 * Expressions that fill the columns of a variant that its own file left empty. Its own values precede those of the newest
 * annotation (docs/design/adr/0012-annotations.md). Rows of `variant` are named `v`; `beside` lists those of annotations, the
 * newest first.
 */

/** Condition that a row of `v` has the allele of a row of an annotation. */
export function sameAllele(source: string): string {
  return alleleColumns.map((column) => `v.${column} = ${source}.${column}`).join(' AND ');
}

/** Filled columns by name, as SQL. */
export function filledColumns(sources: readonly string[]): Map<string, string> {
  const relations = ['v', ...sources];
  const filled = annotatedColumns.flatMap((together) =>
    together.map((column): [string, string] => [column, filledColumn(column, together, relations)]),
  );
  return new Map(filled);
}

function filledColumn(column: string, together: readonly string[], relations: readonly string[]): string {
  if (together.length === 1) return `coalesce(${relations.map((one) => `${one}.${column}`).join(', ')})`;
  const cases = relations.map((one) => {
    const some = together.map((other) => `${one}.${other} IS NOT NULL`).join(' OR ');
    return `WHEN ${some} THEN ${one}.${column}`;
  });
  return `CASE ${cases.join(' ')} END`;
}
