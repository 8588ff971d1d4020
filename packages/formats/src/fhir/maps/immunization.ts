import { immunization } from '../../tables/immunization.ts';
import { boundCode } from '../bindings.ts';
import { code, part } from '../concept.ts';
import { boolean, date, type Extract, number, reference, text } from '../extract.ts';
import { bind } from './table-map.ts';
import { unitOf } from './value-text.ts';

const statusText = boundCode('status');

/** Reads the status; STU3 writes `notGiven: true` where R4 has `not-done`, DSTU2 `wasNotGiven`. */
const status: Extract = (scope, reading) =>
  scope['notGiven'] === true || scope['wasNotGiven'] === true ? 'not-done' : statusText(scope, reading);

export const immunizationMap = bind(immunization, {
  status,
  status_reason: code('statusReason', 'explanation.reasonNotGiven'),
  code: part('code', 'vaccineCode'),
  system: part('system', 'vaccineCode'),
  display: part('display', 'vaccineCode'),
  text: part('text', 'vaccineCode'),
  // STU3: date.
  occurrence_date: date('occurrenceDateTime', 'date'),
  recorded_date: date('recorded'),
  primary_source: boolean('primarySource'),
  lot_number: text('lotNumber'),
  site_code: part('code', 'site'),
  site_display: part('display', 'site'),
  route_code: part('code', 'route'),
  route_display: part('display', 'route'),
  dose_value: number('doseQuantity.value'),
  dose_unit: unitOf('doseQuantity'),
  reason_code: code('reasonCode', 'explanation.reason', 'reason.concept'),
  encounter_id: reference('Encounter', 'encounter'),
});
