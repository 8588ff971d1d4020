import { defineTable } from './table.ts';

/** Demographics of patients, one row each. */
export const demographic = defineTable({
  name: 'demographic',
  area: 'clinical',
  about: 'Demographics of patients, one row each.',
  plural: 'demographics',
  orderBy: ['patient_id'],
  fhirTypes: ['Patient'],
  columns: {
    patient_id: ['string', 'hash', 'Patient of the row.'],
    gender: ['string', 'coded', 'Administrative gender.'],
    birth_date: ['date', 'year', 'Date of birth.'],
    race: ['string', 'omb', 'Race, as categories of US Core.'],
    ethnicity: ['string', 'omb', 'Ethnicity, as categories of US Core.'],
    marital_status: ['string', 'coded', 'Marital status.'],
    language: ['string', 'coded', 'Language of communication.'],
    city: ['string', 'null', 'City of the address.'],
    state: ['string', 'null', 'State of the address.'],
    postal_code: ['string', 'null', 'Postal code of the address.'],
    country: ['string', 'null', 'Country of the address.'],
    is_deceased: ['boolean', 'none', 'Whether the patient has died.'],
    deceased_date: ['date', 'shift', 'Date of death.'],
    active: ['boolean', 'none', 'Whether the record of the patient is in use.'],
  },
});
