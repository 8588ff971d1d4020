import { condition } from '../../tables/condition.ts';
import { boundCode } from '../bindings.ts';
import { code, part } from '../concept.ts';
import { date, type Extract, objects, reference } from '../extract.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { bind, group, preferring } from './table-map.ts';

const isSummarised = ({ summary }: JsonObject): boolean => isObject(summary);
const isCoded = ({ summary }: JsonObject): boolean => isObject(summary) && summary['coding'] !== undefined;

const verification = boundCode('verificationStatus');
/** Certainty of a diagnosis beside its code, as German law has it (ICD-10-GM, § 295 SGB V); `Z` is of the past. */
const certaintyUrl = 'http://fhir.de/StructureDefinition/icd-10-gm-diagnosesicherheit';
const certainties: ReadonlyMap<JsonValue | undefined, string> = new Map([
  ['A', 'refuted'],
  ['V', 'unconfirmed'],
  ['G', 'confirmed'],
]);

/** Reads the certainty of a diagnosis: the status, else that of its first code that has one. */
const verificationStatus: Extract = (scope, reading) => {
  const stated = verification(scope, reading);
  if (stated !== undefined || !isObject(scope['code'])) return stated;
  for (const coding of objects(scope['code'], 'coding', reading))
    for (const { url, valueCoding } of objects(coding, 'extension', reading)) {
      const found = url === certaintyUrl && isObject(valueCoding) && certainties.get(valueCoding['code']);
      if (found) return found;
    }
  return undefined;
};

export const conditionMap = bind(condition, {
  code: part('code', 'code'),
  system: part('system', 'code'),
  display: part('display', 'code'),
  text: part('text', 'code'),
  category: code('category'),
  // STU3: a plain code.
  clinical_status: boundCode('clinicalStatus'),
  verification_status: verificationStatus,
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
