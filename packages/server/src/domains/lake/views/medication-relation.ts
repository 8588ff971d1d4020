import type { Table } from '@ploidy/formats';
import { type LocatedFile, rowsWithOrdinal } from '../catalogue/segment-rows.ts';

/** Columns that a referenced Medication defines. */
const defined = new Set(['code', 'system', 'display', 'text']);

/** Columns of the internal table `_medication`. */
export const definitionColumns =
  'resource_type AS _resource_type, resource_id AS _resource_id, code, system, display, text';

/** Builds a relation of `medication` rows with the id of the Medication they refer to. `more`: as `_words`. */
export const medicationRows = (own: LocatedFile[], columns: string, more: readonly string[] = []): string =>
  rowsWithOrdinal(own, [columns, '_medication_id', ...more].join(', '));

/**
 * Selects the columns of `medication`. Values of a referenced Medication are those of its current version,
 * from whichever file: bulk exports have one file per type. `rows` and `definitions` are relations of current
 * versions.
 */
export function withDefinitions(
  table: Table,
  rows: string,
  definitions: string,
  more: readonly string[],
): string {
  // A Medication without a name leaves the words that the resource itself has for it.
  const isNamed = 'd.code IS NOT NULL OR d.display IS NOT NULL OR d.text IS NOT NULL';
  const columns = table.columns.map(({ name }) =>
    name === 'text'
      ? `CASE WHEN ${isNamed} THEN d."text" ELSE r."text" END AS "text"`
      : defined.has(name)
        ? `CASE WHEN d._resource_id IS NULL THEN r."${name}" ELSE d."${name}" END AS "${name}"`
        : `r."${name}"`,
  );
  return `SELECT ${[...columns, ...more].join(', ')} FROM (${rows}) AS r
    LEFT JOIN (${definitions}) AS d ON d._resource_id = r._medication_id`;
}

/** Builds a relation of `coding` rows with the resource that has each. Their files name the path `element`. */
export function codingRows(table: Table, own: LocatedFile[]): string {
  const columns = table.columns.map(({ name }) => (name === 'path' ? 'element AS path' : `"${name}"`));
  return rowsWithOrdinal(
    own,
    [...columns, 'resource_type AS _resource_type', 'resource_id AS _resource_id'].join(', '),
  );
}

/** Columns of `medication` that `withBorrowed` needs. */
export const givenColumns = 'patient_id, _resource_type, _resource_id';

/**
 * Adds the codings of each Medication to every resource that refers to it. `codings` and `given` are
 * relations of current versions; `codings` has the columns of the table.
 */
export function withBorrowed(table: Table, codings: string, given: string): string {
  const borrowed: Readonly<Record<string, string>> = {
    resource_type: 'g._resource_type',
    resource_id: 'g._resource_id',
    patient_id: 'g.patient_id',
    path: "CASE WHEN k.path = 'code' THEN 'medication' ELSE 'medication.' || k.path END",
  };
  const columns = table.columns.map(({ name }) => borrowed[name] ?? `k."${name}"`).join(', ');
  return `${codings} UNION ALL SELECT ${columns}
    FROM (${given}) AS g JOIN (${codings}) AS k ON k.resource_type = 'Medication' AND k.resource_id = g._medication_id`;
}
