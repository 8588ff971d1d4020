import { allergy } from '../../tables/allergy.ts';
import { code, part } from '../concept.ts';
import { date, fhirCode, reference } from '../extract.ts';
import { bind } from './table-map.ts';

// R5: a CodeableReference.
const manifestation = ['reaction.manifestation.concept', 'reaction.manifestation'];

export const allergyMap = bind(allergy, {
  type: code('type'),
  category: code('category'),
  criticality: fhirCode('criticality'),
  // STU3: plain codes.
  clinical_status: code('clinicalStatus'),
  verification_status: code('verificationStatus'),
  code: part('code', 'code'),
  system: part('system', 'code'),
  display: part('display', 'code'),
  text: part('text', 'code'),
  manifestation_code: part('code', ...manifestation),
  manifestation_display: part('display', ...manifestation),
  reaction_severity: fhirCode('reaction.severity'),
  onset_date: date('onsetDateTime', 'onsetPeriod.start'),
  last_occurrence_date: date('lastOccurrence'),
  // STU3: assertedDate.
  recorded_date: date('recordedDate', 'assertedDate'),
  // STU3 has no such field.
  encounter_id: reference('Encounter', 'encounter'),
});

export const allergyCodings = [
  'code',
  'clinicalStatus',
  'verificationStatus',
  'reaction.substance',
  'reaction.manifestation',
  'reaction.manifestation.concept',
];
