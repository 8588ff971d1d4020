import { encounter } from '../../tables/encounter.ts';
import { code, part } from '../concept.ts';
import { fhirCode, reference, text } from '../extract.ts';
import { bind, lasting } from './table-map.ts';

// R5: actualPeriod.
const period = lasting(['period', 'actualPeriod'], []);

export const encounterMap = bind(encounter, {
  status: fhirCode('status'),
  // A Coding; R5: concepts.
  class_code: text('class.code', 'class.coding.code'),
  class_system: text('class.system', 'class.coding.system'),
  class_display: text('class.display', 'class.coding.display'),
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

export const encounterCodings = [
  'type',
  'serviceType',
  'serviceType.concept',
  'priority',
  'reasonCode',
  'reason',
  'reason.value.concept',
  'hospitalization.admitSource',
  'hospitalization.dischargeDisposition',
  'admission.admitSource',
  'admission.dischargeDisposition',
];
