import { conceptColumns, defineTable } from './table.ts';

/** Procedures on patients. */
export const procedure = defineTable({
  name: 'procedure',
  area: 'clinical',
  about: 'Procedures on patients.',
  plural: 'procedures',
  orderBy: ['patient_id', 'id'],
  fhirTypes: ['Procedure'],
  columns: {
    patient_id: ['string', 'hash', 'Patient of the row.'],
    id: ['string', 'hash', 'Id of the resource.'],
    status: ['string', 'coded', 'Status code of the resource.'],
    category: ['string', 'coded', 'Category of the resource.'],
    ...conceptColumns,
    performed_date: ['date', 'shift', 'Start of the procedure.'],
    performed_end_date: ['date', 'shift', 'End of the procedure.'],
    body_site_code: ['string', 'code', 'Code of the body site.'],
    body_site_display: ['string', 'none', 'Display name of the body site.'],
    outcome: ['string', 'coded', 'Outcome.'],
    reason_code: ['string', 'coded', 'Code of the reason.'],
    encounter_id: ['string', 'hash', 'Encounter during which it happened.'],
    data: ['string', 'null', 'FHIR resource as JSON text.'],
  },
  codings: {
    code: ['code'],
    category: ['category'],
    body_site_code: ['bodySite'],
    outcome: ['outcome'],
    reason_code: ['reasonCode', 'reason.concept'],
  },
});
