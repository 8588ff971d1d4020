import { isObject, type JsonObject, type JsonValue } from '../fhir/index.ts';
import { type Elements, objectsOf } from './elements.ts';

/** Subject of the resources, and the start of their ids. */
interface About {
  patient: string;
  /** Id of the subject as written. */
  subject: JsonValue | undefined;
  prefix: string;
}

const reference = ({ patient }: About): JsonObject => ({ reference: `Patient/${patient}` });

/** Names of the sexes; JSON of protocol buffers may hold their numbers. */
const genders: ReadonlyMap<JsonValue | undefined, string> = new Map<JsonValue | undefined, string>([
  ['FEMALE', 'female'],
  [1, 'female'],
  ['MALE', 'male'],
  [2, 'male'],
  ['OTHER_SEX', 'other'],
  [3, 'other'],
]);

const human = 'NCBITaxon:9606';

export function patientOf(subject: JsonObject, { patient }: About, elements: Elements): JsonObject {
  const { sex, dateOfBirth, vitalStatus, taxonomy } = elements.object(subject, 'subject', [
    'id',
    'sex',
    'dateOfBirth',
    'vitalStatus',
    'taxonomy',
  ]);
  if (isObject(taxonomy) && taxonomy['id'] !== human) elements.leftOut.add('subject.taxonomy');
  const gender = genders.get(sex);
  return {
    ...{ resourceType: 'Patient', id: patient },
    ...(gender !== undefined && { gender }),
    ...(typeof dateOfBirth === 'string' && { birthDate: dateOfBirth.slice(0, 'yyyy-mm-dd'.length) }),
    ...deceased(vitalStatus, elements),
  };
}

function deceased(value: JsonValue | undefined, elements: Elements): JsonObject {
  const { status, timeOfDeath } = elements.object(value, 'subject.vitalStatus', ['status', 'timeOfDeath']);
  const path = 'subject.vitalStatus.timeOfDeath';
  if (status !== 'DECEASED' && status !== 2) {
    if (timeOfDeath !== undefined) elements.leftOut.add(path);
    return status === 'ALIVE' || status === 1 ? { deceasedBoolean: false } : {};
  }
  const time = elements.time('deceased', timeOfDeath, path, false);
  if ('deceasedDateTime' in time) return time;
  if (timeOfDeath !== undefined) elements.leftOut.add(path);
  return { deceasedBoolean: true };
}

const verification = (code: string): JsonObject => ({
  coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-ver-status', code }],
});

export function featureOf(value: JsonObject, id: string, about: About, elements: Elements): JsonObject {
  const path = 'phenotypicFeatures';
  const found = elements.object(value, path, ['type', 'excluded', 'severity', 'onset', 'resolution']);
  const severity = elements.concept(found['severity']);
  const resource = conditionOf(found, 'type', `${about.prefix}.${id}`, path, about, elements);
  return { ...resource, ...(severity && { severity }) };
}

export function diseaseOf(value: JsonObject, id: string, about: About, elements: Elements): JsonObject {
  const path = 'diseases';
  const found = elements.object(value, path, ['term', 'excluded', 'diseaseStage', 'onset', 'resolution']);
  const stages = objectsOf(found['diseaseStage']).flatMap((one) => elements.concept(one) ?? []);
  const resource = conditionOf(found, 'term', `${about.prefix}.${id}`, path, about, elements);
  return { ...resource, ...(stages.length > 0 && { stage: stages.map((summary) => ({ summary })) }) };
}

/** Certainty of a diagnosis by the progress of its interpretation; an unsolved one has none. */
const certainties: ReadonlyMap<JsonValue | undefined, string> = new Map<JsonValue | undefined, string>([
  ['SOLVED', 'confirmed'],
  [3, 'confirmed'],
  ['COMPLETED', 'provisional'],
  [2, 'provisional'],
  ['IN_PROGRESS', 'provisional'],
  [1, 'provisional'],
]);

/** Reads the disease of an interpretation; its variants have no resource here. */
export function diagnosisOf(
  value: JsonObject,
  id: string,
  about: About,
  elements: Elements,
): JsonObject | undefined {
  const path = 'interpretations';
  const { progressStatus, diagnosis } = elements.object(value, path, ['id', 'progressStatus', 'diagnosis']);
  const { disease } = elements.object(diagnosis, `${path}.diagnosis`, ['disease']);
  const certainty = certainties.get(progressStatus);
  if (certainty === undefined || !isObject(disease)) {
    if (disease !== undefined) elements.leftOut.add(`${path}.diagnosis.disease`);
    return undefined;
  }
  const resource = conditionOf({ disease }, 'disease', `${about.prefix}.${id}`, path, about, elements);
  return { ...resource, verificationStatus: verification(certainty) };
}

/** Texts and numbers are read as well: a feature that is absent must not become one that is there. */
const isTrue = (value: JsonValue | undefined): boolean => ['true', '1'].includes(String(value).toLowerCase());

/** `term`: the member with the code. */
function conditionOf(
  found: JsonObject,
  term: string,
  id: string,
  path: string,
  about: About,
  elements: Elements,
): JsonObject {
  const code = elements.concept(found[term]);
  return {
    ...{ resourceType: 'Condition', id, subject: reference(about) },
    ...(code && { code }),
    verificationStatus: verification(isTrue(found['excluded']) ? 'refuted' : 'confirmed'),
    ...elements.time('onset', found['onset'], `${path}.onset`),
    ...elements.time('abatement', found['resolution'], `${path}.resolution`),
  };
}

export function observationOf(value: JsonObject, id: string, about: About, elements: Elements): JsonObject {
  const path = 'measurements';
  const found = elements.object(value, path, ['assay', 'value', 'complexValue', 'timeObserved']);
  const code = elements.concept(found['assay']);
  const complex = elements.object(found['complexValue'], `${path}.complexValue`, ['typedQuantities']);
  const parts = elements.objects(complex['typedQuantities'], `${path}.complexValue.typedQuantities`, [
    'type',
    'quantity',
  ]);
  return {
    ...{
      resourceType: 'Observation',
      id: `${about.prefix}.${id}`,
      status: 'final',
      subject: reference(about),
    },
    ...(code && { code }),
    ...elements.time('effective', found['timeObserved'], `${path}.timeObserved`, false),
    ...measured(found['value'], `${path}.value`, elements),
    ...(parts.length > 0 && {
      component: parts.map(({ type, quantity }) => ({
        code: elements.concept(type) ?? {},
        ...measured(
          quantity === undefined ? {} : { quantity },
          `${path}.complexValue.typedQuantities`,
          elements,
        ),
      })),
    }),
  };
}

/** Reads a value: a quantity or a term. */
function measured(value: JsonValue | undefined, path: string, elements: Elements): JsonObject {
  const found = elements.object(value, path, ['quantity', 'ontologyClass']);
  const number = elements.quantity(found['quantity'], `${path}.quantity`);
  if (number)
    return { valueQuantity: number.quantity, ...(number.range && { referenceRange: [number.range] }) };
  const valueCodeableConcept = elements.concept(found['ontologyClass']);
  return valueCodeableConcept ? { valueCodeableConcept } : {};
}

/** Reads a biosample; one of another person, such as the mother, is none of this patient. */
export function specimenOf(
  value: JsonObject,
  id: string,
  about: About,
  elements: Elements,
): JsonObject | undefined {
  const path = 'biosamples';
  const known = ['id', 'individualId', 'sampleType', 'sampledTissue', 'timeOfCollection'];
  const found = elements.object(value, path, known);
  const person = found['individualId'];
  if (person !== undefined && person !== '' && person !== about.subject) {
    elements.leftOut.add(`${path} of another individualId`);
    return undefined;
  }
  const type = elements.concept(found['sampleType']);
  const bodySite = elements.concept(found['sampledTissue']);
  const time = elements.time('collected', found['timeOfCollection'], `${path}.timeOfCollection`, false);
  return {
    ...{ resourceType: 'Specimen', id: `${about.prefix}.${id}`, subject: reference(about) },
    // The name of the sample in a VCF.
    ...(typeof found['id'] === 'string' && { identifier: [{ value: found['id'] }] }),
    ...(type && { type }),
    ...((bodySite || Object.keys(time).length > 0) && {
      collection: { ...(bodySite && { bodySite }), ...time },
    }),
  };
}

/** Reads a procedure or a treatment; other medical actions have no resource here. */
export function actionOf(
  value: JsonObject,
  id: string,
  about: About,
  elements: Elements,
): JsonObject | undefined {
  const path = 'medicalActions';
  const { procedure, treatment } = elements.object(value, path, ['procedure', 'treatment']);
  const common = { id: `${about.prefix}.${id}`, status: 'completed', subject: reference(about) };
  if (isObject(procedure)) {
    const found = elements.object(procedure, `${path}.procedure`, ['code', 'bodySite', 'performed']);
    const code = elements.concept(found['code']);
    const bodySite = elements.concept(found['bodySite']);
    return {
      ...{ resourceType: 'Procedure', ...common, ...(code && { code }) },
      ...(bodySite && { bodySite: [bodySite] }),
      ...elements.time('performed', found['performed'], `${path}.procedure.performed`),
    };
  }
  if (!isObject(treatment)) return undefined;
  const { agent, doseIntervals } = elements.object(treatment, `${path}.treatment`, [
    'agent',
    'doseIntervals',
  ]);
  const medicationCodeableConcept = elements.concept(agent);
  const doses = elements.objects(doseIntervals, `${path}.treatment.doseIntervals`, ['interval']);
  const effectivePeriod = spanOf(doses.map(({ interval }) => interval));
  if (doses.length > 0 && !effectivePeriod) elements.leftOut.add(`${path}.treatment.doseIntervals`);
  // Whether the treatment has ended is unknown.
  return {
    ...{ resourceType: 'MedicationStatement', ...common, status: 'unknown' },
    ...(medicationCodeableConcept && { medicationCodeableConcept }),
    ...(effectivePeriod && { effectivePeriod }),
  };
}

/** Returns the time from the first start to the last end of intervals; undefined unless each has both. */
function spanOf(intervals: readonly (JsonValue | undefined)[]): JsonObject | undefined {
  const found = intervals.filter(isObject);
  const [starts, ends] = [found.map(({ start }) => start), found.map(({ end }) => end)];
  const isWhole =
    found.length === intervals.length && [...starts, ...ends].every((one) => typeof one === 'string');
  // Timestamps of protocol buffers are in UTC: their order is that of the texts.
  return isWhole && found.length > 0 ? { start: starts.sort()[0], end: ends.sort().at(-1) } : undefined;
}
