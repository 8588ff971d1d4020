import { conceptColumns, defineTable } from './table.ts';

/** Conditions of relatives of patients. Extension beyond the specification. */
export const familyHistory = defineTable({
  name: 'family_history',
  area: 'clinical',
  about: 'Relatives of patients, one row per condition of a relative, one for a relative without.',
  plural: 'family_histories',
  orderBy: ['patient_id', 'id'],
  fhirTypes: ['FamilyMemberHistory'],
  isExtension: true,
  rowsOf: 'condition',
  columns: {
    patient_id: ['string', 'hash', 'Patient of the row.'],
    id: ['string', 'hash', 'Id of the resource, which is about one relative.'],
    condition_index: ['int', 'none', 'Index of the condition; NULL for a relative without.'],
    status: ['string', 'coded', 'Status code of the resource.'],
    relationship: ['string', 'coded', 'Code of the relationship to the patient.'],
    sex: ['string', 'coded', 'Sex of the relative.'],
    is_deceased: ['boolean', 'none', 'Whether the relative is dead.'],
    ...conceptColumns,
    outcome: ['string', 'coded', 'What the condition led to.'],
    contributed_to_death: ['boolean', 'none', 'Whether the relative died of the condition.'],
    onset_age: ['float', 'null', 'Age of the relative at onset, in years.'],
    recorded_date: ['date', 'shift', 'Date of the record.'],
  },
  codings: {
    relationship: ['relationship'],
    sex: ['sex'],
    code: ['condition.code'],
    outcome: ['condition.outcome'],
  },
});
