import { defineTable } from './table.ts';

/** Samples and their patients; `sequence.id` is the `sample_id` of the omic tables. */
export const sequence = defineTable({
  name: 'sequence',
  area: 'clinical',
  about: 'Samples and the patients they were taken from.',
  plural: 'sequences',
  orderBy: ['id'],
  fhirTypes: ['MolecularSequence', 'Sequence'],
  columns: {
    patient_id: ['string', 'hash', 'Patient of the row.'],
    id: ['string', 'hash', 'Id of the sample.'],
    specimen_id: ['string', 'hash', 'Specimen of the sample.'],
    test_type: ['string', 'none', 'Kind of test.'],
    sequence_type: ['string', 'code', 'Kind of molecule.'],
  },
});
