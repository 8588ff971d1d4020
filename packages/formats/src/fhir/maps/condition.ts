import { condition } from '../../tables/condition.ts';
import { code, part } from '../concept.ts';
import { date, reference } from '../extract.ts';
import { bind } from './table-map.ts';

export const conditionMap = bind(condition, {
  code: part('code', 'code'),
  system: part('system', 'code'),
  display: part('display', 'code'),
  text: part('text', 'code'),
  category: code('category'),
  // STU3: a plain code.
  clinical_status: code('clinicalStatus'),
  verification_status: code('verificationStatus'),
  severity: code('severity'),
  body_site_code: part('code', 'bodySite'),
  body_site_display: part('display', 'bodySite'),
  stage: code('stage.summary'),
  onset_date: date('onsetDateTime', 'onsetPeriod.start'),
  abatement_date: date('abatementDateTime', 'abatementPeriod.end', 'abatementPeriod.start'),
  // STU3: assertedDate.
  recorded_date: date('recordedDate', 'assertedDate'),
  // STU3: context.
  encounter_id: reference('Encounter', 'encounter', 'context'),
});

export const conditionCodings = [
  'code',
  'category',
  'clinicalStatus',
  'verificationStatus',
  'severity',
  'bodySite',
  'stage.summary',
];
