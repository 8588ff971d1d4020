import { literal } from '@ploidy/engine';
import { holdsSql, tables } from '@ploidy/formats/tables';

/** Row of a statement by its columns. */
export type Row = Record<string, unknown>;

/** Tables of a phenopacket, with the columns that are read and the condition on rows that hold. */
const readings = {
  demographic: ['gender, birth_date, is_deceased, deceased_date', 'true'],
  condition: [
    'code, system, display, text, verification_status, clinical_status, onset_date, abatement_date, body_site_code',
    // A diagnosis that was ruled out is `excluded`.
    `coalesce(verification_status, '') <> 'entered-in-error'`,
  ],
  observation: [
    `code, system, display, effective_date, value_quantity, value_unit, value_comparator,
     value_codeable_concept_code, value_codeable_concept_system, value_codeable_concept_display,
     value_boolean, reference_low, reference_high`,
    holdsSql(tables.get('observation')),
  ],
  medication: ['code, system, display, start_date, end_date', holdsSql(tables.get('medication'))],
  procedure: ['code, system, display, performed_date', holdsSql(tables.get('procedure'))],
  specimen: ['id, type_code, type_system, type_display, collected_date', holdsSql(tables.get('specimen'))],
} as const;

export type ReadTable = keyof typeof readings;

export const readTables = Object.keys(readings) as ReadTable[];

/** Builds the statement whose rows are those of a subject in these tables: the table, and the columns as JSON. */
export function rowsStatement(tables: readonly ReadTable[], subject: string): string {
  const selects = tables.map((table) => {
    const [columns, condition] = readings[table];
    const members = columns.split(',').map((name) => `'${name.trim()}': ${name.trim()}`);
    return `SELECT '${table}' AS name, CAST(to_json({${members.join(', ')}}) AS VARCHAR) AS data
      FROM ${table} WHERE patient_id = ${literal(subject)} AND ${condition}`;
  });
  return `${selects.join(' UNION ALL ')} ORDER BY name, data`;
}
