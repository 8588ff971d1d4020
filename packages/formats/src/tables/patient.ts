import { defineTable } from './table.ts';

/** Patients, one row each. */
export const patient = defineTable({
  name: 'patient',
  area: 'clinical',
  about: 'Patients, one row each.',
  plural: 'patients',
  orderBy: ['patient_id'],
  fhirTypes: ['Patient'],
  columns: {
    patient_id: ['string', 'hash', 'Patient of the row.'],
    data: ['string', 'null', 'FHIR resource as JSON text.'],
    dob: ['date', 'year', 'Date of birth.'],
  },
});
