import { defineTable } from './table.ts';

/** Specimens taken from patients. */
export const specimen = defineTable({
  name: 'specimen',
  area: 'clinical',
  about: 'Specimens taken from patients.',
  plural: 'specimens',
  orderBy: ['patient_id', 'id'],
  fhirTypes: ['Specimen'],
  columns: {
    patient_id: ['string', 'hash', 'Patient of the row.'],
    id: ['string', 'hash', 'Id of the resource.'],
    status: ['string', 'coded', 'Status code of the resource.'],
    type_code: ['string', 'code', 'Code of the kind of material.'],
    type_system: ['string', 'none', 'Code system of `type_code`.'],
    type_display: ['string', 'none', 'Display name of the kind of material.'],
    accession_identifier: ['string', 'null', 'Identifier that the laboratory assigned.'],
    parent_id: ['string', 'hash', 'Specimen from which it was derived.'],
    collected_date: ['date', 'shift', 'Date of collection.'],
    received_date: ['date', 'shift', 'Date of receipt.'],
    body_site_code: ['string', 'code', 'Code of the body site.'],
    body_site_display: ['string', 'none', 'Display name of the body site.'],
    collection_method: ['string', 'coded', 'Method of collection.'],
    data: ['string', 'null', 'FHIR resource as JSON text.'],
  },
  codings: {
    type_code: ['type'],
    body_site_code: ['collection.bodySite', 'collection.bodySite.concept'],
    collection_method: ['collection.method'],
  },
});
