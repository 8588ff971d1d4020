import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { ConversionFixture, type Row } from './conversion.fixture.ts';

interface CodeableConcept {
  coding?: { code?: string; system?: string; display?: string }[];
  text?: string;
}
interface Reference {
  reference?: string;
}
interface Period {
  start?: string;
  end?: string;
}
/** Counts of resources in the real files, by type. */
interface Resource {
  resourceType: string;
  id: string;
  status?: string;
  category?: CodeableConcept[];
  code?: CodeableConcept;
  subject?: Reference;
  encounter?: Reference;
  reasonCode?: CodeableConcept[];
}
interface Condition extends Resource {
  clinicalStatus?: CodeableConcept;
  verificationStatus?: CodeableConcept;
  onsetDateTime?: string;
  abatementDateTime?: string;
  recordedDate?: string;
}
interface Procedure extends Resource {
  performedPeriod?: Period;
}
interface MedicationRequest extends Resource {
  intent?: string;
  medicationCodeableConcept?: CodeableConcept;
  authoredOn?: string;
}
interface Observation extends Resource {
  effectiveDateTime?: string;
  issued?: string;
  valueQuantity?: { value?: number; unit?: string };
  valueString?: string;
  valueCodeableConcept?: CodeableConcept;
}

const options = { skip: sharedDataSkip };
let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

const day = (text: string | undefined) => text?.slice(0, 10) ?? null;
const id = (reference: Reference | undefined) => reference?.reference?.split(/[/:]/).at(-1) ?? null;
const first = (concept: CodeableConcept | undefined, key: 'code' | 'system' | 'display') =>
  concept?.coding?.[0]?.[key] ?? null;
const conceptCode = (concept: CodeableConcept | undefined) => first(concept, 'code') ?? concept?.text ?? null;
const coded = (concept: CodeableConcept | undefined) => ({
  code: first(concept, 'code'),
  system: first(concept, 'system'),
  display: first(concept, 'display'),
  text: concept?.text ?? null,
});

const naive = {
  condition: (r: Condition) => ({
    patient_id: id(r.subject),
    id: r.id,
    ...coded(r.code),
    category: conceptCode(r.category?.[0]),
    clinical_status: conceptCode(r.clinicalStatus),
    verification_status: conceptCode(r.verificationStatus),
    severity: null,
    body_site_code: null,
    body_site_display: null,
    stage: null,
    onset_date: day(r.onsetDateTime),
    abatement_date: day(r.abatementDateTime),
    recorded_date: day(r.recordedDate),
    encounter_id: id(r.encounter),
  }),
  procedure: (r: Procedure) => ({
    patient_id: id(r.subject),
    id: r.id,
    status: r.status,
    category: null,
    ...coded(r.code),
    performed_date: day(r.performedPeriod?.start),
    performed_end_date: day(r.performedPeriod?.end),
    body_site_code: null,
    body_site_display: null,
    outcome: null,
    reason_code: conceptCode(r.reasonCode?.[0]),
    encounter_id: id(r.encounter),
  }),
  medication: (r: MedicationRequest) => ({
    patient_id: id(r.subject),
    id: r.id,
    resource_type: 'MedicationRequest',
    status: r.status,
    intent: r.intent,
    category: conceptCode(r.category?.[0]),
    ...coded(r.medicationCodeableConcept),
    start_date: null,
    end_date: null,
    authored_date: day(r.authoredOn),
    reason_code: conceptCode(r.reasonCode?.[0]),
    encounter_id: id(r.encounter),
  }),
  observation: (r: Observation) => ({
    patient_id: id(r.subject),
    id: r.id,
    component_index: null,
    status: r.status,
    category: conceptCode(r.category?.[0]),
    ...coded(r.code),
    effective: r.effectiveDateTime,
    effective_date: day(r.effectiveDateTime),
    issued: r.issued,
    value_quantity: r.valueQuantity?.value ?? null,
    value_unit: r.valueQuantity?.unit ?? null,
    value_comparator: null,
    value_string: r.valueString ?? null,
    value_codeable_concept_code: first(r.valueCodeableConcept, 'code'),
    value_codeable_concept_system: first(r.valueCodeableConcept, 'system'),
    value_codeable_concept_display: first(r.valueCodeableConcept, 'display'),
    value_boolean: null,
    value_date: null,
    interpretation: null,
    reference_low: null,
    reference_high: null,
    body_site_code: null,
    specimen_id: null,
    encounter_id: id(r.encounter),
  }),
};

async function compare<R extends Resource>(
  file: string,
  table: string,
  resources: R[],
  read: (resource: R) => Row,
) {
  const converted = await fixture.convertFile(sharedData(file));
  const expected = resources.map(
    (resource): Row => ({
      ...read(resource),
      data: resource,
      _words: ',',
      _resource_type: resource.resourceType,
      _resource_id: resource.id,
      _last_updated: null,
      ...(table === 'medication' && { _medication_id: null }),
    }),
  );
  const key = (row: Row) => `${row['patient_id']} ${row['id']}`;
  expected.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const actual = converted
    .rows(table)
    .filter((row) => (row['component_index'] ?? null) === null)
    .map((row) => ({ ...row, data: JSON.parse(String(row['data'])) }));
  assert.equal(actual.length, expected.length);
  for (const [index, row] of actual.entries()) assert.deepEqual(row, expected[index]);
}

function ndjson<R>(file: string): R[] {
  const lines = readFileSync(sharedData(file), 'utf8').split('\n');
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

test('every field of condition equals a naive reading of the real file', options, async () => {
  const file = 'fhir/10-patients/Condition.ndjson';
  await compare(file, 'condition', ndjson<Condition>(file), naive.condition);
});

test('every field of procedure equals a naive reading of the real file', options, async () => {
  const file = 'fhir/10-patients/Procedure.ndjson';
  await compare(file, 'procedure', ndjson<Procedure>(file), naive.procedure);
});

test('every field of medication equals a naive reading of the real file', options, async () => {
  const file = 'fhir/10-patients/MedicationRequest.ndjson';
  await compare(file, 'medication', ndjson<MedicationRequest>(file), naive.medication);
});

test('every field of observation equals a naive reading of the real Bundles', options, async () => {
  for (const name of ['Clemente_Kreiger', 'Ned_Hintz']) {
    const file = `fhir/bundles/${name}.json`;
    const bundle: { entry: { resource: Observation }[] } = JSON.parse(readFileSync(sharedData(file), 'utf8'));
    const resources = bundle.entry.map(({ resource }) => resource);
    const observations = resources.filter(({ resourceType }) => resourceType === 'Observation');
    await compare(file, 'observation', observations, naive.observation);
  }
});

test('documents and numbers of a pretty-printed Bundle are kept as they were written', options, async () => {
  const converted = await fixture.convertFile(sharedData('fhir/bundles/Ned_Hintz.json'));
  const written = new Set(
    readFileSync(sharedData('fhir/bundles/Ned_Hintz.json'), 'utf8').match(/"value": [-0-9.eE+]+/g),
  );
  for (const row of converted.rows('observation')) {
    const data = row['data'];
    if (data === null) continue;
    assert.equal(data, JSON.stringify(JSON.parse(String(data))));
    for (const value of String(data).match(/"value":[-0-9.eE+]+/g) ?? [])
      assert.ok(written.has(value.replace(':', ': ')));
  }
});
