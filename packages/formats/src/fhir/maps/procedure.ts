import { procedure } from '../../tables/procedure.ts';
import { boundCode } from '../bindings.ts';
import { code, part } from '../concept.ts';
import { type Extract, reference } from '../extract.ts';
import { bind, lasting } from './table-map.ts';

const statusText = boundCode('status');

/** Reads the status; STU3 writes `notDone: true` where R4 has the status, DSTU2 `notPerformed`. */
const status: Extract = (scope, reading) =>
  scope['notDone'] === true || scope['notPerformed'] === true ? 'not-done' : statusText(scope, reading);

// R5: occurrence[x].
const performed = lasting(
  ['performedPeriod', 'occurrencePeriod'],
  ['performedDateTime', 'occurrenceDateTime'],
);

export const procedureMap = bind(procedure, {
  status,
  category: code('category'),
  code: part('code', 'code'),
  system: part('system', 'code'),
  display: part('display', 'code'),
  text: part('text', 'code'),
  performed_date: performed.start,
  performed_end_date: performed.end,
  body_site_code: part('code', 'bodySite'),
  body_site_display: part('display', 'bodySite'),
  outcome: code('outcome'),
  reason_code: code('reasonCode', 'reason.concept'),
  encounter_id: reference('Encounter', 'encounter', 'context'),
});
