import { encounter } from '../../tables/encounter.ts';
import { boundCode } from '../bindings.ts';
import { type ConceptFinder, code, conceptAt, conceptPart, part } from '../concept.ts';
import { reference } from '../extract.ts';
import { bind, lasting } from './table-map.ts';

// R5: actualPeriod.
const period = lasting(['period', 'actualPeriod'], []);

const stated = conceptAt('class');

/** The class as a concept; until R4B it is a Coding. */
const classConcept: ConceptFinder = (scope, reading) => {
  const found = stated(scope, reading);
  return found && found['coding'] === undefined && found['text'] === undefined ? { coding: [found] } : found;
};

export const encounterMap = bind(encounter, {
  status: boundCode('status'),
  class_code: conceptPart(classConcept, 'class', 'code'),
  class_system: conceptPart(classConcept, 'class', 'system'),
  class_display: conceptPart(classConcept, 'class', 'display'),
  type_code: part('code', 'type'),
  type_system: part('system', 'type'),
  type_display: part('display', 'type'),
  text: part('text', 'type'),
  // R5: a CodeableReference.
  service_type: code('serviceType.concept', 'serviceType'),
  priority: code('priority'),
  start_date: period.start,
  end_date: period.end,
  // STU3: reason; R5: reason.value.
  reason_code: code('reasonCode', 'reason.value.concept', 'reason'),
  admit_source: code('hospitalization.admitSource', 'admission.admitSource'),
  discharge_disposition: code('hospitalization.dischargeDisposition', 'admission.dischargeDisposition'),
  part_of_id: reference('Encounter', 'partOf'),
});
