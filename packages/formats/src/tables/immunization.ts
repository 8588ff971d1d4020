import { conceptColumns, defineTable } from './table.ts';

/** Vaccinations of patients, given or not. Extension beyond the specification. */
export const immunization = defineTable({
  name: 'immunization',
  area: 'clinical',
  about: 'Vaccinations of patients, given or not.',
  plural: 'immunizations',
  orderBy: ['patient_id', 'id'],
  fhirTypes: ['Immunization'],
  isExtension: true,
  columns: {
    patient_id: ['string', 'hash', 'Patient of the row.'],
    id: ['string', 'hash', 'Id of the resource.'],
    status: ['string', 'coded', 'Status code of the resource.'],
    status_reason: ['string', 'coded', 'Reason for which it was not given.'],
    ...conceptColumns,
    occurrence_date: ['date', 'shift', 'Date of the vaccination.'],
    recorded_date: ['date', 'shift', 'Date of the record.'],
    primary_source: ['boolean', 'none', 'Whether the record is from the person who gave the vaccine.'],
    lot_number: ['string', 'null', 'Lot number of the vaccine.'],
    site_code: ['string', 'code', 'Code of the site of injection.'],
    site_display: ['string', 'none', 'Display name of the site.'],
    route_code: ['string', 'code', 'Code of the route of administration.'],
    route_display: ['string', 'none', 'Display name of the route.'],
    dose_value: ['float', 'none', 'Amount of the dose.'],
    dose_unit: ['string', 'none', 'Unit of the dose.'],
    reason_code: ['string', 'coded', 'Code of the reason.'],
    encounter_id: ['string', 'hash', 'Encounter during which it happened.'],
    data: ['string', 'null', 'FHIR resource as JSON text.'],
  },
  codings: {
    code: ['vaccineCode'],
    site_code: ['site'],
    route_code: ['route'],
    status_reason: ['statusReason', 'explanation.reasonNotGiven'],
    reason_code: ['reasonCode', 'explanation.reason', 'reason.concept'],
  },
});
