import type { JsonObject, JsonValue } from '../index.ts';

/** Fields in which another version has an element of R4: of another name, in another form, or (`null`) none. */
type Moved = (value: JsonValue) => JsonObject | null;

const named =
  (name: string): Moved =>
  (value) => ({ [name]: value });
const none: Moved = () => null;
const within =
  (name: string, moved: Moved): Moved =>
  (value) => ({ [name]: moved(value) });
const many = (value: JsonValue): JsonValue => (Array.isArray(value) ? value : [value]);
const one = (value: JsonValue): JsonValue => (Array.isArray(value) ? (value[0] ?? null) : value);
const listed =
  (name: string): Moved =>
  (value) => ({ [name]: many(value) });
const single =
  (name: string): Moved =>
  (value) => ({ [name]: one(value) });
/** CodeableReference (R5). */
const referable =
  (name: string, of: 'concept' | 'reference'): Moved =>
  (value) => ({ [name]: Array.isArray(value) ? value.map((item) => ({ [of]: item })) : { [of]: value } });
const asCode =
  (name: string): Moved =>
  (value) => ({ [name]: (value as { coding: { code: string }[] }).coding[0]?.code ?? null });
const asConcept =
  (name: string): Moved =>
  (value) => ({ [name]: { coding: [{ code: value }] } });

/** Medication, reason and the like of the R5 types of medications. */
const medication = {
  medicationCodeableConcept: referable('medication', 'concept'),
  medicationReference: referable('medication', 'reference'),
  reasonCode: referable('reason', 'concept'),
  context: named('encounter'),
};

/**
 * Elements that columns are read from and that STU3 or R5 have elsewhere than R4 (FHIR's version maps: hl7.org/fhir/R4, "R3
 * Conversions"; hl7.org/fhir/R5, "R4 Conversions"). R4B has them where R4 has them. Types that are not there have none.
 */
export const movedElements: Record<'stu3' | 'r5', Record<string, Record<string, Moved>>> = {
  stu3: {
    AllergyIntolerance: {
      clinicalStatus: asCode('clinicalStatus'),
      verificationStatus: asCode('verificationStatus'),
      recordedDate: named('assertedDate'),
      encounter: none,
    },
    Condition: {
      clinicalStatus: asCode('clinicalStatus'),
      verificationStatus: asCode('verificationStatus'),
      stage: single('stage'),
      recordedDate: named('assertedDate'),
      encounter: named('context'),
    },
    Encounter: { reasonCode: named('reason'), serviceType: none },
    Immunization: {
      occurrenceDateTime: named('date'),
      recorded: none,
      statusReason: within('explanation', listed('reasonNotGiven')),
      reasonCode: within('explanation', listed('reason')),
    },
    Media: {
      status: none,
      type: asCode('type'),
      modality: named('subtype'),
      createdDateTime: named('occurrenceDateTime'),
      createdPeriod: named('occurrencePeriod'),
    },
    MedicationRequest: { category: single('category'), encounter: named('context') },
    Observation: { interpretation: single('interpretation'), encounter: named('context') },
    Procedure: { encounter: named('context') },
  },
  r5: {
    AllergyIntolerance: { type: asConcept('type') },
    Encounter: {
      class: (value) => ({ class: [{ coding: [value] }] }),
      period: named('actualPeriod'),
      serviceType: (value) => ({ serviceType: [{ concept: value }] }),
      reasonCode: (value) => ({ reason: [{ use: [], ...referable('value', 'concept')(value) }] }),
      hospitalization: named('admission'),
    },
    Immunization: { recorded: none, reasonCode: referable('reason', 'concept') },
    // R5 has Media as DocumentReference.
    Media: Object.fromEntries(
      ['status', 'type', 'modality', 'view', 'bodySite', 'content', 'height', 'width', 'frames'].map(
        (name) => [name, none],
      ),
    ),
    MedicationAdministration: {
      ...medication,
      category: listed('category'),
      effectiveDateTime: named('occurenceDateTime'),
      effectivePeriod: named('occurencePeriod'),
    },
    MedicationDispense: { ...medication, category: listed('category') },
    MedicationRequest: medication,
    MedicationStatement: { ...medication, category: listed('category') },
    Procedure: {
      performedDateTime: named('occurrenceDateTime'),
      performedPeriod: named('occurrencePeriod'),
      category: listed('category'),
      reasonCode: referable('reason', 'concept'),
    },
  },
};

/** Moves the fields of R4 to where another version has them; `null`: it has one of them nowhere. */
export function movedTo(version: 'stu3' | 'r5', type: string, fields: JsonObject): JsonObject | null {
  const moves = movedElements[version][type] ?? {};
  const found: JsonObject = {};
  for (const [name, value] of Object.entries(fields)) {
    const moved = moves[name] ? moves[name](value as JsonValue) : { [name]: value };
    if (moved === null) return null;
    Object.assign(found, moved);
  }
  return found;
}
