import { defineTable } from './table.ts';

/** Dosages of medications, one row per instruction. */
export const dosage = defineTable({
  name: 'dosage',
  area: 'clinical',
  about: 'Dosages of medications, one row per instruction.',
  plural: 'dosages',
  orderBy: ['patient_id', 'medication_id'],
  fhirTypes: ['MedicationRequest', 'MedicationStatement', 'MedicationAdministration', 'MedicationDispense'],
  rowsOf: 'dosage',
  columns: {
    patient_id: ['string', 'hash', 'Patient of the row.'],
    medication_id: ['string', 'hash', 'Row of `medication` that the dosage belongs to.'],
    dosage_index: ['int', 'none', 'Index of the instruction.'],
    text: ['string', 'null', 'Instruction as text.'],
    timing_text: ['string', 'null', 'Timing as text.'],
    frequency: ['int', 'none', 'Number of doses in a period.'],
    period: ['float', 'none', 'Length of the period.'],
    period_unit: ['string', 'coded', 'Unit of the period.'],
    as_needed: ['boolean', 'none', 'Whether to take as needed.'],
    route_code: ['string', 'code', 'Code of the route of administration.'],
    route_display: ['string', 'none', 'Display name of the route.'],
    site_code: ['string', 'code', 'Code of the site of administration.'],
    method_code: ['string', 'code', 'Code of the method of administration.'],
    dose_value: ['float', 'none', 'Amount of a dose.'],
    dose_unit: ['string', 'none', 'Unit of a dose.'],
    rate_value: ['float', 'none', 'Rate of administration.'],
    rate_unit: ['string', 'none', 'Unit of the rate.'],
  },
});
