import { medication } from '../../tables/medication.ts';
import { boundCode } from '../bindings.ts';
import { type ConceptFinder, code, conceptPart, part } from '../concept.ts';
import {
  date,
  type Extract,
  integer,
  object,
  objects,
  type Reading,
  reference,
  type Span,
  span,
  target,
  text,
} from '../extract.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Target } from '../reference.ts';
import { bind, lasting } from './table-map.ts';

// R4 and STU3: medication[x]; R5: a CodeableReference.
const stated = object('medicationCodeableConcept', 'medication.concept');
const pointer = object('medicationReference', 'medication.reference');
const medicationTarget = target('medicationReference', 'medication.reference');

/** The concept of a medication: stated in the resource, or that of a contained Medication. */
const medicationConcept: ConceptFinder = (scope, reading) => {
  const concept = stated(scope, reading);
  if (concept) return concept;
  const name = pointer(scope, reading)?.['reference'];
  if (typeof name !== 'string' || !name.startsWith('#')) return undefined;
  // Some programs write the mark of a local reference into the id as well.
  const ids = [name, name.slice(1)];
  const contained = objects(scope, 'contained', reading).find((one) => ids.includes(String(one['id'])));
  if (!contained) reading.unreadable('medicationReference', 'a reference to a contained resource');
  return contained && substanceOf(contained, reading);
};

const ownCode = object('code');
const ingredientConcept = object('itemCodeableConcept', 'item.concept');
const itemName = conceptPart(ingredientConcept, 'ingredient', 'display');
const itemText = conceptPart(ingredientConcept, 'ingredient', 'text');

/**
 * Finds the concept of a Medication: its code, else its active ingredient, else the names of all ingredients. A compound often has
 * no code.
 */
function substanceOf(medication: JsonObject, reading: Reading): JsonObject | undefined {
  const code = ownCode(medication, reading);
  if (code) return code;
  const all = medication['ingredient'] === undefined ? [] : objects(medication, 'ingredient', reading);
  const active = all.filter((one) => one['isActive'] === true);
  const items = active.length > 0 ? active : all;
  const [only, second] = items;
  if (second === undefined) return only && ingredientConcept(only, reading);
  const names = items.map((item) => itemName(item, reading) ?? itemText(item, reading));
  return names.includes(undefined) ? undefined : { text: names.join(' + ') };
}

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

// R5.
const period = span('effectiveDosePeriod');
const bounds = span('timing.repeat.boundsPeriod');
const duration = object('timing.repeat.boundsDuration');
const sequence = integer('sequence');

/**
 * Returns the days of use that the instructions of a request bound. Steps follow each other by `sequence`: the first one begins, the last
 * one ends. Without it they are side by side, and end when all of them have ended. The validity of a prescription does not count.
 */
function useOf(scope: JsonObject, reading: Reading): Span | undefined {
  const whole = period(scope, reading);
  if (whole) return whole;
  const steps = objects(scope, 'dosageInstruction', reading).map((step) => ({
    at: sequence(step, reading) ?? 0,
    // A duration does not say when it begins.
    isOpen: duration(step, reading) !== undefined,
    ...{ start: undefined, end: undefined, ...bounds(step, reading) },
  }));
  const places = steps.map(({ at }) => at);
  const ofPlace = (place: number) => steps.filter(({ at }) => at === place);
  if (steps.some(({ end, isOpen }) => isOpen && end === undefined))
    reading.unreadable(
      'dosageInstruction.timing.repeat.boundsDuration',
      'a period, whose end would be known',
    );
  const starts = ofPlace(Math.min(...places)).map(({ start }) => start);
  const ends = ofPlace(Math.max(...places)).map(({ end }) => end);
  return { start: starts.filter((day) => day !== undefined).sort()[0], end: lastOf(ends) };
}

/** The last of the days; undefined unless all are known. */
const lastOf = (days: readonly (string | undefined)[]): string | undefined =>
  days.includes(undefined) ? undefined : days.toSorted().at(-1);

/** Dates by type, since each names its times in its own way. R5 spells `occurence`. */
const times: Record<string, Times> = {
  MedicationRequest: {
    start: (scope, reading) => useOf(scope, reading)?.start,
    end: (scope, reading) => useOf(scope, reading)?.end,
    authored: date('authoredOn'),
  },
  MedicationStatement: {
    ...lasting(['effectivePeriod'], ['effectiveDateTime']),
    authored: date('dateAsserted'),
  },
  MedicationAdministration: {
    ...lasting(
      ['effectivePeriod', 'occurencePeriod', 'occurrencePeriod'],
      ['effectiveDateTime', 'occurenceDateTime', 'occurrenceDateTime'],
    ),
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

const statusText = boundCode('status');

/** Fields of administrations and dispenses in DSTU2 and STU3 for a meaning that R4 expresses as a status. */
const notDone = ['notGiven', 'notDone', 'wasNotGiven'];
/** Reasons that STU3 has of dispenses that were not done, and of no others. */
const notDoneReasons = ['notDoneCodeableConcept', 'notDoneReference'];

// R5 has in `adherence` what R4 has in the status of a statement (R5, MedicationStatement: R4 conversions).
const adherenceCode = part('code', 'adherence.code');
const taking = [
  ['not-taking', 'not-taken'],
  ['taking', 'active'],
  ['on-hold', 'on-hold'],
  ['stopped', 'stopped'],
] as const;

function adherenceOf(scope: JsonObject, reading: Reading): string | undefined {
  const stated = String(adherenceCode(scope, reading));
  return taking.find(([start]) => stated.startsWith(start))?.[1];
}

/** Status of a medication: in every version, an order not to give it is distinct from an order to give it. */
const status: Extract = (scope, reading) => {
  if (scope['doNotPerform'] === true) return 'do-not-perform';
  if (notDone.some((name) => scope[name] === true) || notDoneReasons.some((name) => isObject(scope[name])))
    return 'not-done';
  if (scope['taken'] === 'n' || scope['wasNotTaken'] === true) return 'not-taken';
  const stated = statusText(scope, reading);
  return (stated === 'recorded' && adherenceOf(scope, reading)) || stated;
};

export const medicationMap = bind(medication, {
  resource_type: (_scope, reading) => reading.resourceType,
  status,
  intent: boundCode('intent'),
  category: code('category'),
  code: conceptPart(medicationConcept, 'medication', 'code'),
  system: conceptPart(medicationConcept, 'medication', 'system'),
  display: conceptPart(medicationConcept, 'medication', 'display'),
  // Free text, which `display` is not. Queries replace it by the words of the Medication, where that is known.
  text: (scope, reading) => {
    const concept = medicationConcept(scope, reading);
    return (
      ownText(scope, reading) ?? (concept?.['coding'] === undefined ? shownText(scope, reading) : undefined)
    );
  },
  start_date: time('start'),
  end_date: time('end'),
  authored_date: time('authored'),
  // R5: reason.concept.
  reason_code: code('reasonCode', 'reason.concept'),
  encounter_id: reference('Encounter', 'encounter', 'context'),
});

/** Reads a Medication resource, for columns of the medication table. */
export const definitionExtracts: readonly Extract[] = (['code', 'system', 'display', 'text'] as const).map(
  (which) => conceptPart(substanceOf, 'code', which),
);
