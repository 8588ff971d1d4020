import { rows } from '../../api/ask.ts';
import type { Where } from '../../api/where.ts';
import { datedTables, furtherFields } from './lanes.ts';

/** The condition that rows are about a patient. */
export const about = (patient: string): Where => ({ patient: { id: [{ operator: 'eq', value: patient }] } });

/** Columns of the tables that the summary and the history show. */
const shownFields: Readonly<Record<string, string[]>> = {
  patient: [
    ...['gender', 'age', 'birth_date', 'is_deceased', 'deceased_date'],
    ...['race', 'ethnicity', 'state', 'country'],
  ],
  condition: [
    'display',
    'code',
    'stage',
    'clinical_status',
    'verification_status',
    'onset_date',
    'recorded_date',
  ],
  medication: ['display', 'code', 'status', 'start_date', 'authored_date', 'end_date'],
  sequence: ['id', 'test_type', 'specimen_id'],
  specimen: ['id', 'type_display', 'collected_date'],
  media: ['id', 'title', 'type', 'file_id', 'created_date'],
  attribute_value: ['attribute_id', 'value', 'number', 'sample_id'],
  timeline_event: ['type', 'start_day', 'stop_day', 'attributes'],
  alteration: [
    ...['sample_id', 'gene', 'kind', 'class', 'protein_change', 'chromosome', 'position', 'alternate'],
    ...['partner_gene', 'driver', 'status', 'allele_fraction', 'clinical_significance'],
  ],
};

/** Tables of the summary, the history and the drawings. */
export const shownTables = [
  ...new Set([...Object.keys(shownFields), ...datedTables.map(([table]) => table)]),
];

/** Returns the columns of a table that this page needs. */
function fieldsOf(table: string): string[] {
  const dated = datedTables.find(([name]) => name === table);
  const dates = dated ? [dated[2], ...dated[3], dated[4], ...(furtherFields[table] ?? [])] : [];
  return [...new Set([...(shownFields[table] ?? []), ...dates])];
}

/** Rows of a table about a patient, with the columns that this page shows. */
export const rowsAbout = (project: string, patient: string, target: string) =>
  rows(project, { target, where: about(patient), options: { fields: fieldsOf(target) } });
