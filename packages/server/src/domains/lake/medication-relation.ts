import type { Table } from '@ploidy/formats';
import { literal } from '../../platform/engine/worker/quote.ts';
import { filesOf, type LocatedSegment } from './segment-rows.ts';

/** What a Medication says of what was given. */
const defined = new Set(['code', 'system', 'display', 'text']);

/** Of the internal table `_medication`. */
export const definitionColumns =
  'resource_type AS _resource_type, resource_id AS _resource_id, code, system, display, text';

/** Rows of `medication` with the id of the Medication that they refer to; segments from before it was kept say nothing of it. */
export function medicationRows(own: LocatedSegment[], columns: string): string {
  const parts = filesOf(own).map(({ path, ordinals, compacted, partial }) => {
    const rows = `(SELECT NULL::VARCHAR AS _medication_id WHERE false
      UNION ALL BY NAME SELECT * FROM read_parquet(${literal(path)}))`;
    const ordinal = compacted ? '_ordinal' : `${ordinals[0]}::BIGINT AS _ordinal`;
    const visible = partial ? ` WHERE _ordinal IN (${ordinals.join(', ')})` : '';
    return `SELECT ${columns}, _medication_id, ${ordinal} FROM ${rows}${visible}`;
  });
  return `(${parts.join(' UNION ALL ')})`;
}

/**
 * The columns of `medication`: where a resource refers to a Medication, those of the version of it that counts, in whichever file it came. Bulk
 * exports have a file a type. `rows` and `definitions`: relations of what counts.
 */
export function withDefinitions(table: Table, rows: string, definitions: string): string {
  const columns = table.columns.map(({ name }) =>
    defined.has(name)
      ? `CASE WHEN d._resource_id IS NULL THEN r."${name}" ELSE d."${name}" END AS "${name}"`
      : `r."${name}"`,
  );
  return `SELECT ${columns.join(', ')} FROM (${rows}) AS r
    LEFT JOIN (${definitions}) AS d ON d._resource_id = r._medication_id`;
}

/** Of `medication`, what `withBorrowed` needs of it. */
export const givenColumns = 'patient_id, _resource_type, _resource_id';

/**
 * The rows of `_coding`, and the codings of a Medication once more for every resource that refers to it. `codings` and `given`: relations of what
 * counts.
 */
export function withBorrowed(codings: string, given: string): string {
  return `${codings} UNION ALL
    SELECT g._resource_type, g._resource_id, g.patient_id, 'medication', k.system, k.code, k.display
    FROM (${given}) AS g JOIN (${codings}) AS k ON k.resource_type = 'Medication' AND k.resource_id = g._medication_id`;
}
