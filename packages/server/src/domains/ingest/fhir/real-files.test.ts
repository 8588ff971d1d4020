import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { sharedData, sharedDataSkip } from '../../../../../../test/support/shared-data.ts';
import { ConversionFixture, type Row } from './conversion-fixture.ts';

const options = { skip: sharedDataSkip };
let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

// biome-ignore lint/suspicious/noExplicitAny: the naive reading below trusts the real files.
type Json = any;

const day = (text: string | undefined) => text?.slice(0, 10) ?? null;
const id = (reference: Json) => reference?.reference.split(/[/:]/).at(-1) ?? null;
const first = (concept: Json, key: string) => concept?.coding?.[0]?.[key] ?? null;
const conceptCode = (concept: Json) => first(concept, 'code') ?? concept?.text ?? null;
const internal = (resource: Json) => ({
  _resource_type: resource.resourceType,
  _resource_id: resource.id,
  _last_updated: null,
});
const coded = (concept: Json) => ({
  code: first(concept, 'code'),
  system: first(concept, 'system'),
  display: first(concept, 'display'),
  text: concept?.text ?? null,
});

const naive: Record<string, (resource: Json) => Row> = {
  condition: (r) => ({
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
  procedure: (r) => ({
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
  medication: (r) => ({
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
  observation: (r) => ({
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

async function compare(file: string, table: string, resources: Json[]): Promise<void> {
  const converted = await fixture.convertFile(sharedData(file));
  const expected = resources.map((resource) => ({
    ...naive[table]?.(resource),
    data: resource,
    ...internal(resource),
  }));
  const key = (row: Json) => `${row.patient_id} ${row.id}`;
  expected.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const actual = converted
    .rows(table)
    .filter((row) => (row['component_index'] ?? null) === null)
    .map((row) => ({ ...row, data: JSON.parse(String(row['data'])) }));
  assert.equal(actual.length, expected.length);
  for (const [index, row] of actual.entries()) assert.deepEqual(row, expected[index]);
}

function ndjson(file: string): Json[] {
  return readFileSync(sharedData(file), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const ndjsonTables = { condition: 'Condition', procedure: 'Procedure', medication: 'MedicationRequest' };
for (const [table, type] of Object.entries(ndjsonTables)) {
  test(`every field of ${table} is what a naive reading of the real file gives`, options, async () => {
    const file = `fhir/10-patients/${type}.ndjson`;
    await compare(file, table, ndjson(file));
  });
}

test('every field of observation is what a naive reading of the real Bundles gives', options, async () => {
  for (const name of ['Clemente_Kreiger', 'Ned_Hintz']) {
    const file = `fhir/bundles/${name}.json`;
    const entries: Json[] = JSON.parse(readFileSync(sharedData(file), 'utf8')).entry;
    const resources = entries.map(({ resource }) => resource);
    await compare(
      file,
      'observation',
      resources.filter((r) => r.resourceType === 'Observation'),
    );
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
