import { defineTable } from './table.ts';

/** FHIR resources of every type, whole. Extension beyond the specification. */
export const resource = defineTable({
  name: 'resource',
  area: 'clinical',
  about: 'FHIR resources of every type, whole.',
  plural: 'resources',
  orderBy: ['patient_id', 'id'],
  formats: ['FHIR of every type'],
  isExtension: true,
  columns: {
    patient_id: ['string', 'hash', 'Patient that the resource is about.'],
    id: ['string', 'hash', 'Id of the resource.'],
    resource_type: ['string', 'none', 'FHIR type of the resource.'],
    source: ['string', 'none', 'Source of the ingestion, or server of the full URL.'],
    version: ['string', 'code', 'Version of the resource on its server.'],
    last_updated: ['date', 'shift', 'Day of the version, in UTC.'],
    data: ['string', 'null', 'FHIR resource as JSON text.'],
  },
});
