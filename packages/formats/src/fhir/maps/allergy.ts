import { allergy } from '../../tables/allergy.ts';
import { boundCode } from '../bindings.ts';
import { part } from '../concept.ts';
import { date, reference } from '../extract.ts';
import { isObject, type JsonObject } from '../json.ts';
import { bind, group, preferring } from './table-map.ts';

// R5: a CodeableReference.
const manifestation = ['reaction.manifestation.concept', 'reaction.manifestation'];

const isManifested = ({ manifestation: stated }: JsonObject): boolean =>
  Array.isArray(stated) ? stated.length > 0 : isObject(stated);

export const allergyMap = bind(allergy, {
  // R5: a concept.
  type: boundCode('type'),
  category: boundCode('category'),
  criticality: boundCode('criticality'),
  // STU3: plain codes.
  clinical_status: boundCode('clinicalStatus'),
  verification_status: boundCode('verificationStatus'),
  code: part('code', 'code'),
  system: part('system', 'code'),
  display: part('display', 'code'),
  text: part('text', 'code'),
  ...group('reaction', preferring(isManifested), {
    manifestation_code: part('code', ...manifestation),
    manifestation_display: part('display', ...manifestation),
    reaction_severity: boundCode('reaction.severity'),
  }),
  onset_date: date('onsetDateTime', 'onsetPeriod.start'),
  last_occurrence_date: date('lastOccurrence'),
  // STU3: assertedDate.
  recorded_date: date('recordedDate', 'assertedDate'),
  // STU3 has no such field.
  encounter_id: reference('Encounter', 'encounter'),
});
