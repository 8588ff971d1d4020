import { defineTable } from './table.ts';

/** Medications that were requested, stated, administered or dispensed. */
export const medication = defineTable({
  name: 'medication',
  area: 'clinical',
  about: 'Medications that were requested, stated, administered or dispensed.',
  plural: 'medications',
  orderBy: ['patient_id', 'id'],
  fhirTypes: ['MedicationRequest', 'MedicationStatement', 'MedicationAdministration', 'MedicationDispense'],
  columns: {
    patient_id: ['string', 'hash', 'Patient of the row.'],
    id: ['string', 'hash', 'Id of the resource.'],
    resource_type: ['string', 'none', 'FHIR type of the resource.'],
    status: ['string', 'coded', 'Status code of the resource.'],
    intent: ['string', 'coded', 'Intent of the request.'],
    category: ['string', 'coded', 'Category of the resource.'],
    code: ['string', 'code', 'Code of the substance.'],
    system: ['string', 'none', 'Code system of `code`.'],
    display: ['string', 'none', 'Display name of `code`.'],
    text: ['string', 'null', 'Plain text of the substance.'],
    start_date: ['date', 'shift', 'First day of use.'],
    end_date: ['date', 'shift', 'Last day of use.'],
    authored_date: ['date', 'shift', 'Date of the prescription or statement.'],
    reason_code: ['string', 'coded', 'Code of the reason.'],
    encounter_id: ['string', 'hash', 'Encounter during which it happened.'],
    data: ['string', 'null', 'FHIR resource as JSON text.'],
  },
  codings: {
    // That of a Medication, of the resource itself, and of a Medication within it.
    code: ['medication', 'medicationCodeableConcept', 'medication.concept', 'contained.code'],
    category: ['category'],
    reason_code: ['reasonCode', 'reason.concept'],
  },
});
