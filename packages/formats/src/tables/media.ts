import { defineTable } from './table.ts';

/** Images and other media about patients. */
export const media = defineTable({
  name: 'media',
  area: 'clinical',
  about: 'Images and other media about patients.',
  plural: 'media',
  orderBy: ['patient_id', 'id'],
  fhirTypes: ['Media'],
  columns: {
    patient_id: ['string', 'hash', 'Patient of the row.'],
    id: ['string', 'hash', 'Id of the resource.'],
    status: ['string', 'coded', 'Status code of the resource.'],
    type: ['string', 'coded', 'Kind of media.'],
    subtype: ['string', 'coded', 'Modality or more specific kind.'],
    view: ['string', 'coded', 'View of the subject.'],
    body_site_code: ['string', 'code', 'Code of the body site.'],
    content_type: ['string', 'code', 'Media type of the content.'],
    url: ['string', 'null', 'Address of the content.'],
    title: ['string', 'null', 'Title of the content.'],
    size: ['int', 'none', 'Size in bytes.'],
    height: ['int', 'none', 'Height in pixels.'],
    width: ['int', 'none', 'Width in pixels.'],
    frames: ['int', 'none', 'Number of frames.'],
    created_date: ['date', 'shift', 'Date of creation.'],
    file_id: ['string', 'hash', 'File of the project that holds the content.'],
    data: ['string', 'null', 'FHIR resource as JSON text.'],
  },
  codings: {
    type: ['type'],
    subtype: ['modality', 'subtype'],
    view: ['view'],
    body_site_code: ['bodySite'],
  },
});
