import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { ConversionFixture } from './conversion.fixture.ts';

const options = { skip: sharedDataSkip };
let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

// Rows: `wc -l *.ndjson`. Dosages: `jq -s 'map(.dosageInstruction // [] | length) | add' MedicationRequest.ndjson`.
// Codings: `jq '.. | objects | select(has("code") and has("system") and (has("value") | not)) | .code' Condition.ndjson | wc -l`.
const counts: Record<string, Record<string, number>> = {
  'Condition.ndjson': { condition: 555, resource: 555, _resource: 555, coding: 2220 },
  'Procedure.ndjson': { procedure: 2056, resource: 2056, _resource: 2056, coding: 2056 },
  'MedicationRequest.ndjson': {
    dosage: 410,
    medication: 1745,
    resource: 1745,
    _resource: 1745,
    coding: 3826,
  },
  'Patient.ndjson': { demographic: 13, patient: 13, resource: 13, _resource: 13, coding: 98 },
  'AllergyIntolerance.ndjson': { allergy: 11, resource: 11, _resource: 11, coding: 59 },
  'Encounter.ndjson': { encounter: 1215, resource: 1215, _resource: 1215, coding: 4344 },
  'Immunization.ndjson': { immunization: 161, resource: 161, _resource: 161, coding: 161 },
};
for (const [name, expected] of Object.entries(counts)) {
  test(`${name} gives the counted rows`, options, async () => {
    const { tables } = await fixture.convertFile(sharedData(`fhir/10-patients/${name}`));
    const rows = Object.fromEntries(tables.map(({ table, rows }) => [table, rows]));
    assert.deepEqual(rows, expected);
  });
}

test('every resource of a type without a table of its own is a row of resource', options, async () => {
  const { warnings, rows } = await fixture.convertFile(sharedData('fhir/10-patients/Device.ndjson'));
  assert.deepEqual(warnings, []);
  const resources = rows('resource');
  assert.equal(resources.length, 16);
  assert.ok(resources.every(({ patient_id, resource_type }) => patient_id && resource_type === 'Device'));
});

test('a real condition fills its row', options, async () => {
  // grep 0023b3a7-2ded-840c-ee5b-6b123fdcfb0b Condition.ndjson (| wc -c: 944, with the line feed)
  const { rows } = await fixture.convertFile(sharedData('fhir/10-patients/Condition.ndjson'));
  const row = rows('condition').find(({ id }) => id === '0023b3a7-2ded-840c-ee5b-6b123fdcfb0b');
  const { data, ...columns } = row ?? {};
  assert.equal(String(data).length, 943);
  assert.deepEqual(columns, {
    patient_id: '129c6ac7-8d06-89de-ad63-0204a93e76c3',
    id: '0023b3a7-2ded-840c-ee5b-6b123fdcfb0b',
    code: '91302008',
    system: 'http://snomed.info/sct',
    display: 'Sepsis (disorder)',
    text: 'Sepsis (disorder)',
    category: 'encounter-diagnosis',
    clinical_status: 'active',
    verification_status: 'confirmed',
    severity: null,
    body_site_code: null,
    body_site_display: null,
    stage: null,
    onset_date: '1976-01-19',
    abatement_date: null,
    recorded_date: '1976-01-19',
    encounter_id: 'f6003197-6507-1168-87be-ceccd5517094',
    _words: ',',
    _resource_type: 'Condition',
    _resource_id: '0023b3a7-2ded-840c-ee5b-6b123fdcfb0b',
    _last_updated: null,
  });
});

test('a real patient has a row in both tables', options, async () => {
  // grep 129c6ac7-8d06-89de-ad63-0204a93e76c3 Patient.ndjson
  const { rows } = await fixture.convertFile(sharedData('fhir/10-patients/Patient.ndjson'));
  const id = '129c6ac7-8d06-89de-ad63-0204a93e76c3';
  const patient = rows('patient').find((row) => row['patient_id'] === id);
  assert.equal(patient?.['dob'], '1927-05-21');
  const internal = { _words: ',', _resource_type: 'Patient', _resource_id: id, _last_updated: null };
  assert.deepEqual(
    rows('demographic').find((row) => row['patient_id'] === id),
    {
      patient_id: id,
      gender: 'female',
      birth_date: '1927-05-21',
      race: 'White',
      ethnicity: 'Not Hispanic or Latino',
      marital_status: 'M',
      language: 'en-US',
      city: 'Emporia',
      state: 'KS',
      postal_code: '66801',
      country: 'US',
      is_deceased: true,
      deceased_date: '1989-05-09',
      active: null,
      ...internal,
    },
  );
});

test('a real dosage fills its row', options, async () => {
  // grep 002eb5b8-2964-effd-3b09-f132017dae04 MedicationRequest.ndjson
  const { rows } = await fixture.convertFile(sharedData('fhir/10-patients/MedicationRequest.ndjson'));
  const id = '002eb5b8-2964-effd-3b09-f132017dae04';
  const row = rows('dosage').find((dosage) => dosage['medication_id'] === id) ?? {};
  assert.deepEqual(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)), {
    patient_id: '79a66c97-6131-3213-f3c9-4606946ab056',
    medication_id: id,
    dosage_index: 0,
    frequency: 1,
    period: 1,
    period_unit: 'd',
    as_needed: false,
    dose_value: 1,
    _words: ',',
    _resource_type: 'MedicationRequest',
    _resource_id: id,
  });
});

test('a real blood pressure in a Bundle has its row and one for each component', options, async () => {
  // jq '.entry[].resource | select(.id == "28412112-c652-4708-88d2-ef4677ec7d32")' Ned_Hintz.json
  const { rows, tables } = await fixture.convertFile(sharedData('fhir/bundles/Ned_Hintz.json'));
  assert.equal(tables.find(({ table }) => table === 'observation')?.rows, 43);
  const found = rows('observation').filter(({ id }) => id === '28412112-c652-4708-88d2-ef4677ec7d32');
  const shown = found.map((row) => [
    row['component_index'],
    row['code'],
    row['value_quantity'],
    row['value_unit'],
  ]);
  assert.deepEqual(shown, [
    [null, '55284-4', null, null],
    [0, '8462-4', 85.9174453423294, 'mm[Hg]'],
    [1, '8480-6', 130.8676406512117, 'mm[Hg]'],
  ]);
  for (const row of found) {
    assert.equal(row['patient_id'], '616eaeb2-a67a-44e5-a7e6-9bbd85e47c5c');
    assert.equal(row['encounter_id'], 'c4a8996e-6ea4-44a4-be1e-8b7a6d110c53');
    assert.equal(row['effective'], '2012-03-07T20:15:35+00:00');
    assert.equal(row['category'], 'vital-signs');
  }
});
