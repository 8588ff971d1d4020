import { conceptColumns, defineTable } from './table.ts';

/** Allergies and intolerances of patients. Extension beyond the specification. */
export const allergy = defineTable({
  name: 'allergy',
  area: 'clinical',
  about: 'Allergies and intolerances of patients.',
  plural: 'allergies',
  orderBy: ['patient_id', 'id'],
  fhirTypes: ['AllergyIntolerance'],
  isExtension: true,
  columns: {
    patient_id: ['string', 'hash', 'Patient of the row.'],
    id: ['string', 'hash', 'Id of the resource.'],
    type: ['string', 'coded', 'Allergy or intolerance.'],
    category: ['string', 'coded', 'Category of the substance.'],
    criticality: ['string', 'coded', 'Potential harm of a future reaction.'],
    clinical_status: ['string', 'coded', 'Clinical status.'],
    verification_status: ['string', 'coded', 'Verification status.'],
    ...conceptColumns,
    manifestation_code: ['string', 'code', 'Code of the manifestation of a reaction.'],
    manifestation_display: ['string', 'none', 'Display name of the manifestation.'],
    reaction_severity: ['string', 'coded', 'Severity of a reaction.'],
    onset_date: ['date', 'shift', 'Date of onset.'],
    last_occurrence_date: ['date', 'shift', 'Date of the last reaction.'],
    recorded_date: ['date', 'shift', 'Date of the record.'],
    encounter_id: ['string', 'hash', 'Encounter during which it happened.'],
    data: ['string', 'null', 'FHIR resource as JSON text.'],
  },
  codings: {
    type: ['type'],
    category: ['category'],
    code: ['code'],
    clinical_status: ['clinicalStatus'],
    verification_status: ['verificationStatus'],
    manifestation_code: ['reaction.manifestation', 'reaction.manifestation.concept'],
  },
});
