import { defineTable } from './table.ts';

/** Codings for filters on a code that is not the first of its concept (docs/formats/fhir.md). */
export const coding = defineTable({
  name: '_coding',
  area: 'clinical',
  about: 'Every coding of every concept.',
  plural: '_coding',
  orderBy: ['system', 'code', 'element'],
  columns: {
    resource_type: ['string', 'none', 'FHIR type of the resource.'],
    resource_id: ['string', 'hash', 'Id of the resource.'],
    patient_id: ['string', 'hash', 'Patient of the row.'],
    element: ['string', 'none', 'Element that holds the concept.'],
    system: ['string', 'none', 'Code system of `code`.'],
    code: ['string', 'none', 'Code of the concept.'],
    display: ['string', 'none', 'Display name of `code`.'],
  },
});
