import { condition } from '../../tables/condition.ts';
import { boundCode } from '../bindings.ts';
import { code, part } from '../concept.ts';
import { date, reference } from '../extract.ts';
import { isObject, type JsonObject } from '../json.ts';
import { bind, group, preferring } from './table-map.ts';

const isSummarised = ({ summary }: JsonObject): boolean => isObject(summary);
const isCoded = ({ summary }: JsonObject): boolean => isObject(summary) && summary['coding'] !== undefined;

export const conditionMap = bind(condition, {
  code: part('code', 'code'),
  system: part('system', 'code'),
  display: part('display', 'code'),
  text: part('text', 'code'),
  category: code('category'),
  // STU3: a plain code.
  clinical_status: boundCode('clinicalStatus'),
  verification_status: boundCode('verificationStatus'),
  severity: code('severity'),
  body_site_code: part('code', 'bodySite'),
  body_site_display: part('display', 'bodySite'),
  ...group('stage', preferring(isSummarised, isCoded), { stage: code('stage.summary') }),
  onset_date: date('onsetDateTime', 'onsetPeriod.start'),
  abatement_date: date('abatementDateTime', 'abatementPeriod.end', 'abatementPeriod.start'),
  // STU3: assertedDate.
  recorded_date: date('recordedDate', 'assertedDate'),
  // STU3: context.
  encounter_id: reference('Encounter', 'encounter', 'context'),
});
