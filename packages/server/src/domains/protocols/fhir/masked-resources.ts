import type { QueryTable } from '@ploidy/engine';
import { literal } from '@ploidy/engine';

/**
 * Resources of readers of masked values. They are made of the masked tables, which alone decide what a reader may see. Searches
 * compare masked values: an element that no table shows is in no resource.
 */

/** Form of the resources of a type: a table, and the SQL of each element. */
interface MaskedForm {
  table: keyof typeof keys;
  /** Rows of the table that are of the type. */
  where?: string;
  elements: Readonly<Record<string, string>>;
  /** Elements that R4 requires; one that is not shown is marked so. */
  required?: Readonly<Record<string, 'primitive' | 'complex'>>;
}

/** Column with the id of the resource, by table. */
const keys = {
  ...{ demographic: 'patient_id', observation: 'id', condition: 'id', procedure: 'id', encounter: 'id' },
  ...{ medication: 'id', immunization: 'id', allergy: 'id', specimen: 'id' },
};

const terminology = 'http://terminology.hl7.org/CodeSystem/';
/** Builds an object without the members that are NULL. */
const object = (members: Readonly<Record<string, string>>): string =>
  `json_merge_patch('{}', json_object(${Object.entries(members)
    .map(([name, sql]) => `${literal(name)}, ${sql}`)
    .join(', ')}))`;
const coding = (code: string, system = 'NULL', display = 'NULL'): string =>
  `CASE WHEN coalesce(${code}, ${display}) IS NOT NULL THEN ${object({ system, code, display })} END`;
const concept = (code: string, system?: string, display?: string): string => {
  const one = coding(code, system, display);
  return `CASE WHEN (${one}) IS NOT NULL THEN json_object('coding', json_array(${one})) END`;
};
const codeOf = (name: string): string => concept(name, literal(terminology + systemNames[name]));
const systemNames: Record<string, string> = {
  clinical_status: 'condition-clinical',
  verification_status: 'condition-ver-status',
};
const main = concept('code', 'system', 'display');
const listOf = (one: string): string => `CASE WHEN (${one}) IS NOT NULL THEN json_array(${one}) END`;
const reference = (type: string, id: string): string =>
  `CASE WHEN ${id} IS NOT NULL THEN json_object('reference', '${type}/' || ${id}) END`;
const day = (name: string): string => `strftime(${name}, '%Y-%m-%d')`;
const period = (start: string, end: string): string =>
  `CASE WHEN coalesce(${start}, ${end}) IS NOT NULL THEN ${object({ start: day(start), end: day(end) })} END`;
const subject = reference('Patient', 'patient_id');
const encounter = reference('Encounter', 'encounter_id');
const quantity = (value: string, unit: string, comparator = 'NULL'): string =>
  `CASE WHEN ${value} IS NOT NULL THEN ${object({ value, comparator, unit })} END`;

const values = {
  valueQuantity: quantity(
    'value_quantity',
    'value_unit',
    "CASE WHEN value_comparator <> 'ad' THEN value_comparator END",
  ),
  valueCodeableConcept: concept(
    ...((['code', 'system', 'display'] as const).map((part) => `value_codeable_concept_${part}`) as [
      string,
      string,
      string,
    ]),
  ),
  valueBoolean: 'value_boolean',
  valueDateTime: day('value_date'),
};
/** A value has one type. */
const oneValue = Object.fromEntries(
  Object.entries(values).map(([name, sql], at, all) => {
    const before = all.slice(0, at).map(([, other]) => `(${other}) IS NULL`);
    return [name, before.length === 0 ? sql : `CASE WHEN ${before.join(' AND ')} THEN ${sql} END`];
  }),
);

const medicine = {
  ...{ status: 'status', medicationCodeableConcept: main, reasonCode: listOf(concept('reason_code')) },
};
const requiredMedicine = { status: 'primitive', medicationCodeableConcept: 'complex' } as const;

const forms: Readonly<Record<string, MaskedForm>> = {
  Patient: {
    table: 'demographic',
    elements: {
      ...{ active: 'active', gender: 'gender', birthDate: "strftime(birth_date, '%Y')" },
      ...{ maritalStatus: concept('marital_status'), deceasedDateTime: day('deceased_date') },
      deceasedBoolean: 'CASE WHEN deceased_date IS NULL THEN is_deceased END',
    },
  },
  Observation: {
    table: 'observation',
    where: 'component_index IS NULL',
    elements: {
      ...{ status: 'status', category: listOf(concept('category')), code: main, subject, encounter },
      ...{
        effectiveDateTime: day('effective_date'),
        ...oneValue,
        specimen: reference('Specimen', 'specimen_id'),
      },
      ...{ interpretation: listOf(concept('interpretation')), bodySite: concept('body_site_code') },
      component: 'components',
    },
    required: { status: 'primitive', code: 'complex' },
  },
  Condition: {
    table: 'condition',
    elements: {
      ...{ clinicalStatus: codeOf('clinical_status'), verificationStatus: codeOf('verification_status') },
      ...{
        category: listOf(concept('category')),
        severity: concept('severity'),
        code: main,
        subject,
        encounter,
      },
      bodySite: listOf(concept('body_site_code', 'NULL', 'body_site_display')),
      ...{
        onsetDateTime: day('onset_date'),
        abatementDateTime: day('abatement_date'),
        recordedDate: day('recorded_date'),
      },
    },
  },
  Procedure: {
    table: 'procedure',
    elements: {
      ...{ status: 'status', category: concept('category'), code: main, subject, encounter },
      ...{ performedPeriod: period('performed_date', 'performed_end_date'), outcome: concept('outcome') },
      bodySite: listOf(concept('body_site_code', 'NULL', 'body_site_display')),
      reasonCode: listOf(concept('reason_code')),
    },
    required: { status: 'primitive' },
  },
  Encounter: {
    table: 'encounter',
    elements: {
      ...{ status: 'status', class: coding('class_code', 'class_system', 'class_display'), subject },
      ...{ type: listOf(concept('type_code', 'type_system', 'type_display')), priority: concept('priority') },
      ...{ serviceType: concept('service_type'), period: period('start_date', 'end_date') },
      ...{ reasonCode: listOf(concept('reason_code')), partOf: reference('Encounter', 'part_of_id') },
    },
    required: { status: 'primitive', class: 'complex' },
  },
  MedicationRequest: {
    table: 'medication',
    where: "resource_type = 'MedicationRequest'",
    elements: {
      ...{ intent: 'intent', ...medicine, subject, encounter, authoredOn: day('authored_date') },
      category: listOf(concept('category')),
    },
    required: { ...requiredMedicine, intent: 'primitive' },
  },
  MedicationStatement: {
    table: 'medication',
    where: "resource_type = 'MedicationStatement'",
    elements: {
      ...{ ...medicine, category: concept('category'), subject, context: encounter },
      ...{ effectivePeriod: period('start_date', 'end_date'), dateAsserted: day('authored_date') },
    },
    required: requiredMedicine,
  },
  MedicationAdministration: {
    table: 'medication',
    where: "resource_type = 'MedicationAdministration'",
    elements: {
      ...{ ...medicine, category: concept('category'), subject, context: encounter },
      effectivePeriod: `coalesce(${period('start_date', 'end_date')}, json_object())`,
    },
    required: { ...requiredMedicine, effectivePeriod: 'complex' },
  },
  Immunization: {
    table: 'immunization',
    elements: {
      ...{
        status: 'status',
        statusReason: concept('status_reason'),
        vaccineCode: main,
        patient: subject,
        encounter,
      },
      ...{
        occurrenceDateTime: day('occurrence_date'),
        recorded: day('recorded_date'),
        primarySource: 'primary_source',
      },
      ...{
        site: concept('site_code', 'NULL', 'site_display'),
        route: concept('route_code', 'NULL', 'route_display'),
      },
      ...{ doseQuantity: quantity('dose_value', 'dose_unit'), reasonCode: listOf(concept('reason_code')) },
    },
    required: { status: 'primitive', vaccineCode: 'complex', occurrenceDateTime: 'primitive' },
  },
  AllergyIntolerance: {
    table: 'allergy',
    elements: {
      clinicalStatus: concept('clinical_status', literal(`${terminology}allergyintolerance-clinical`)),
      verificationStatus: concept(
        'verification_status',
        literal(`${terminology}allergyintolerance-verification`),
      ),
      ...{
        type: 'type',
        category: listOf('category'),
        criticality: 'criticality',
        code: main,
        patient: subject,
        encounter,
      },
      ...{
        onsetDateTime: day('onset_date'),
        recordedDate: day('recorded_date'),
        lastOccurrence: day('last_occurrence_date'),
      },
    },
  },
  Specimen: {
    table: 'specimen',
    elements: {
      ...{ status: 'status', type: concept('type_code', 'type_system', 'type_display'), subject },
      ...{ receivedTime: day('received_date'), parent: listOf(reference('Specimen', 'parent_id')) },
      collection: `CASE WHEN collected_date IS NOT NULL THEN json_object('collectedDateTime', ${day('collected_date')}) END`,
    },
  },
};

/** Tables of which masked resources are made, and `resource`, which has their ids. */
export const maskedTables: string[] = ['resource', ...Object.keys(keys)];
/** Types that readers of masked values see. */
export const maskedTypes: ReadonlySet<string> = new Set(Object.keys(forms));

const absent = `json_object('extension', json_array(json_object(
  'url', 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', 'valueCode', 'masked')))`;
/** Labels of R4: values are left out, ids and dates are those of a pseudonym (`v3-ObservationValue`). */
const labels = `json_object('security', json_array(${['REDACTED', 'PSEUDED']
  .map((code) => `json_object('system', '${terminology}v3-ObservationValue', 'code', '${code}')`)
  .join(', ')}))`;

/** Names the rows of a table in a statement. */
type Relation = (table: string) => string;

/** Builds the masked resources of tables that are there: patient, id, type and text of each. */
export function maskedResources(there: ReadonlyMap<string, QueryTable>): string {
  const parts = [...maskedParts(there, relationName).values()];
  const none =
    'SELECT NULL::VARCHAR AS patient_id, NULL::VARCHAR AS id, NULL::VARCHAR AS resource_type, NULL::VARCHAR AS data WHERE false';
  return [...parts, none].join('\nUNION ALL ');
}

/**
 * Builds the statements of the masked resources by type, for the tables that are there. `relation` names the rows of a table; absent:
 * the name by which statements of users read it.
 */
export function maskedParts(
  there: Pick<ReadonlySet<string>, 'has'>,
  relation: Relation = (table) => `"${table}"`,
): Map<string, string> {
  const types = Object.entries(forms).filter(([, { table }]) => there.has(table) && there.has('resource'));
  return new Map(types.map(([type, form]) => [type, rowsOf(type, form, relation)]));
}

/** Elements of groups, which are made of cohorts and have ids of the lake alone. */
const groupElements = new Set(['active', 'type', 'actual', 'code', 'name', 'quantity', 'member']);

/** Reports whether masked resources of a type have an element. */
export function showsElement(type: string, element: string): boolean {
  if (type === 'Group') return groupElements.has(element);
  return forms[type] !== undefined && element in forms[type].elements;
}

/** Names the relation of a table in a statement. */
export const relationName = (table: string): string => `"read_${table}"`;

function rowsOf(
  type: string,
  { table, where = 'true', elements, required = {} }: MaskedForm,
  relation: Relation,
): string {
  const id = keys[table];
  const members: Record<string, string> = { resourceType: literal(type), id, meta: labels };
  for (const [name, sql] of Object.entries(elements)) {
    if (required[name] === 'complex') members[name] = `coalesce(${sql}, ${absent})`;
    else members[name] = sql;
    if (required[name] === 'primitive') members[`_${name}`] = `CASE WHEN ${sql} IS NULL THEN ${absent} END`;
  }
  const known = `SELECT id FROM ${relation('resource')} WHERE resource_type = '${type}'`;
  return `SELECT patient_id, ${id} AS id, '${type}' AS resource_type, CAST(${object(members)} AS VARCHAR) AS data
    FROM ${sourceOf(type, relation(table))} WHERE ${where} AND patient_id IS NOT NULL AND ${id} IN (${known})`;
}

/** Components of an observation are rows of their own. */
function sourceOf(type: string, rows: string): string {
  if (type !== 'Observation') return rows;
  const component = object({ code: `coalesce(${main}, ${absent})`, ...oneValue });
  return `(SELECT o.*, c.components FROM ${rows} AS o LEFT JOIN (SELECT id AS _id,
    to_json(list(${component} ORDER BY component_index)) AS components FROM ${rows}
    WHERE component_index IS NOT NULL GROUP BY id) AS c ON c._id = o.id)`;
}
