import { conceptColumns, defineTable } from './table.ts';

/** Diagnoses and problems. */
export const condition = defineTable({
  name: 'condition',
  area: 'clinical',
  about: 'Diagnoses and problems.',
  plural: 'conditions',
  orderBy: ['patient_id', 'id'],
  fhirTypes: ['Condition'],
  columns: {
    patient_id: ['string', 'hash', 'Patient of the row.'],
    id: ['string', 'hash', 'Id of the resource.'],
    ...conceptColumns,
    category: ['string', 'coded', 'Category of the resource.'],
    clinical_status: ['string', 'coded', 'Clinical status.'],
    verification_status: ['string', 'coded', 'Verification status.'],
    severity: ['string', 'coded', 'Severity.'],
    body_site_code: ['string', 'code', 'Code of the body site.'],
    body_site_display: ['string', 'none', 'Display name of the body site.'],
    stage: ['string', 'coded', 'Stage.'],
    onset_date: ['date', 'shift', 'Date of onset.'],
    abatement_date: ['date', 'shift', 'Date of abatement.'],
    recorded_date: ['date', 'shift', 'Date of the record.'],
    encounter_id: ['string', 'hash', 'Encounter during which it happened.'],
    data: ['string', 'null', 'FHIR resource as JSON text.'],
  },
  codings: {
    code: ['code'],
    category: ['category'],
    clinical_status: ['clinicalStatus'],
    verification_status: ['verificationStatus'],
    severity: ['severity'],
    body_site_code: ['bodySite'],
    stage: ['stage.summary'],
  },
});
