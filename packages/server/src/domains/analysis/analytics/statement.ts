import type { QueryTable } from '@ploidy/engine';
import { type Column, engineTypes, type Table, tables } from '@ploidy/formats/tables';

/**
 * Builds a statement over the relations of one or several projects. Each relation is the union of theirs with
 * the project's index; a missing table has no rows.
 */
export function withRelations(
  body: string,
  names: Iterable<string>,
  projects: QueryTable[][],
  own: ReadonlyMap<string, Table> = new Map(),
): string {
  const relations = [...names].map(
    (name) => `"${name}" AS (${unionOf(name, projects) ?? emptyOf(name, own)})`,
  );
  return `WITH ${[...relations, `universe AS (${universe})`].join(',\n')}\n${body}`;
}

/** Tables that define patients: those with a Patient resource or a sample. */
export const universeTables = ['patient', 'sequence'];

const universe = `SELECT _project, patient_id FROM "patient" WHERE patient_id IS NOT NULL
  UNION SELECT _project, patient_id FROM "sequence" WHERE patient_id IS NOT NULL`;

function unionOf(name: string, projects: QueryTable[][]): string | undefined {
  const parts = projects.flatMap((relations, at) => {
    const relation = relations.find((one) => one.name === name);
    return relation ? [`SELECT ${at} AS _project, * FROM (${relation.sql})`] : [];
  });
  return parts.length > 0 ? parts.join(' UNION ALL ') : undefined;
}

function emptyOf(name: string, own: ReadonlyMap<string, Table>): string {
  const columns: Column[] = (tables.get(name) ?? own.get(name))?.columns ?? [];
  const list = columns.map((column) => `CAST(NULL AS ${engineTypes[column.type]}) AS "${column.name}"`);
  return `SELECT 0 AS _project, ${list.join(', ')} WHERE false`;
}
