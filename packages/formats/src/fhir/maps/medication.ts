import { medication } from '../../tables/medication.ts';
import { type ConceptFinder, code, conceptPart, part } from '../concept.ts';
import {
  date,
  type Extract,
  fhirCode,
  object,
  objects,
  type Reading,
  reference,
  target,
  text,
} from '../extract.ts';
import type { JsonObject } from '../json.ts';
import type { Target } from '../reference.ts';
import { bind, lasting } from './table-map.ts';

// R4 and STU3: medication[x]; R5: a CodeableReference.
const stated = object('medicationCodeableConcept', 'medication.concept');
const pointer = object('medicationReference', 'medication.reference');
const medicationTarget = target('medicationReference', 'medication.reference');

/** Finds the concept of a medication: stated in the resource, or that of a contained Medication. */
export const medicationConcept: ConceptFinder = (scope, reading) => {
  const concept = stated(scope, reading);
  if (concept) return concept;
  const name = pointer(scope, reading)?.['reference'];
  if (typeof name !== 'string' || !name.startsWith('#')) return undefined;
  // Some programs write the mark of a local reference into the id as well.
  const ids = [name, name.slice(1)];
  const contained = objects(scope, 'contained', reading).find((one) => ids.includes(String(one['id'])));
  if (!contained) reading.unreadable('medicationReference', 'a reference to a contained resource');
  return contained && containedCode(contained, reading);
};

const containedCode = object('code');

/** Returns the Medication resource of the lake that names the substance, when the resource itself does not. */
export function medicationReference(scope: JsonObject, reading: Reading): Target | undefined {
  if (medicationConcept(scope, reading)) return undefined;
  const found = medicationTarget(scope, reading);
  return found && (found.type ?? 'Medication') === 'Medication' ? found : undefined;
}

const ownText = conceptPart(medicationConcept, 'medication', 'text');
const shownText = text('medicationReference.display', 'medication.reference.display');

interface Times {
  start: Extract;
  end?: Extract;
  authored: Extract;
}

/** Dates by type, since each type has its own fields for times. R5 spells `occurence`. */
const times: Record<string, Times> = {
  MedicationRequest: {
    ...lasting(['dosageInstruction.timing.repeat.boundsPeriod', 'dispenseRequest.validityPeriod'], []),
    authored: date('authoredOn'),
  },
  MedicationStatement: {
    ...lasting(['effectivePeriod'], ['effectiveDateTime']),
    authored: date('dateAsserted'),
  },
  MedicationAdministration: {
    ...lasting(['effectivePeriod', 'occurencePeriod'], ['effectiveDateTime', 'occurenceDateTime']),
    authored: date('recorded'),
  },
  MedicationDispense: {
    start: date('whenHandedOver', 'whenPrepared'),
    authored: date('recorded', 'whenPrepared'),
  },
};

function time(which: keyof Times): Extract {
  return (scope, reading) => times[reading.resourceType]?.[which]?.(scope, reading);
}

const statusText = fhirCode('status');

/** Fields of administrations and dispenses in DSTU2 and STU3 for a meaning that R4 expresses as a status. */
const notDone = ['notGiven', 'notDone', 'wasNotGiven'];

/** An order not to give something counts as no order to give it, in every version. */
const status: Extract = (scope, reading) => {
  if (scope['doNotPerform'] === true) return 'do-not-perform';
  if (notDone.some((name) => scope[name] === true)) return 'not-done';
  if (scope['taken'] === 'n' || scope['wasNotTaken'] === true) return 'not-taken';
  return statusText(scope, reading);
};

export const medicationMap = bind(medication, {
  resource_type: (_scope, reading) => reading.resourceType,
  status,
  intent: fhirCode('intent'),
  category: code('category'),
  code: conceptPart(medicationConcept, 'medication', 'code'),
  system: conceptPart(medicationConcept, 'medication', 'system'),
  display: conceptPart(medicationConcept, 'medication', 'display'),
  // Free text, which `display` is not. Queries show the text of the Medication instead, where that is known.
  text: (scope, reading) =>
    medicationConcept(scope, reading) ? ownText(scope, reading) : shownText(scope, reading),
  start_date: time('start'),
  end_date: time('end'),
  authored_date: time('authored'),
  // R5: reason.concept.
  reason_code: code('reasonCode', 'reason.concept'),
  encounter_id: reference('Encounter', 'encounter', 'context'),
});

/** Extracts of a Medication resource, for columns of the medication table. */
export const definitionExtracts: readonly Extract[] = [
  part('code', 'code'),
  part('system', 'code'),
  part('display', 'code'),
  part('text', 'code'),
];

export const medicationCodings = ['category', 'reasonCode', 'reason.concept'];
export const dosageCodings = ['timing.code', 'route', 'site', 'method'];
