import { type Column, engineTypes, internalTables, tables } from '@ploidy/formats/tables';
import type { QueryTable } from '../../platform/engine/engine.ts';

/**
 * A statement over the relations of one or several projects: every relation is the union of theirs, with the number of the
 * project in front. A table that a project does not have has no rows there.
 */
export function withRelations(body: string, names: Iterable<string>, projects: QueryTable[][]): string {
  const relations = [...names].map((name) => `"${name}" AS (${unionOf(name, projects)})`);
  return `WITH ${[...relations, `universe AS (${universe})`].join(',\n')}\n${body}`;
}

/** Who counts as a patient: who has a Patient resource, or a sample. */
export const universeTables = ['patient', 'sequence'];

const universe = `SELECT _project, patient_id FROM "patient" WHERE patient_id IS NOT NULL
  UNION SELECT _project, patient_id FROM "sequence" WHERE patient_id IS NOT NULL`;

function unionOf(name: string, projects: QueryTable[][]): string {
  const parts = projects.flatMap((relations, at) => {
    const relation = relations.find((one) => one.name === name);
    return relation ? [`SELECT ${at} AS _project, * FROM (${relation.sql})`] : [];
  });
  return parts.length > 0 ? parts.join(' UNION ALL ') : emptyOf(name);
}

function emptyOf(name: string): string {
  const columns: Column[] = (tables.get(name) ?? internalTables.get(name))?.columns ?? [];
  const list = columns.map((column) => `CAST(NULL AS ${engineTypes[column.type]}) AS "${column.name}"`);
  return `SELECT 0 AS _project, ${list.join(', ')} WHERE false`;
}
