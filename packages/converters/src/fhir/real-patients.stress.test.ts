import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { ConversionFixture, type Row } from './conversion.fixture.ts';

const options = { skip: sharedDataSkip };
let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

interface Coded {
  coding: { code: string; display: string }[];
}
interface Patient {
  id: string;
  gender: string;
  birthDate: string;
  deceasedDateTime?: string;
  maritalStatus: Coded;
  communication: { language: Coded }[];
  address: Record<'city' | 'state' | 'postalCode' | 'country', string | undefined>[];
  extension: { url: string; extension?: { url: string; valueCoding?: { display: string } }[] }[];
}
interface Dosage {
  text?: string;
  timing?: { repeat: { frequency: number; period: number; periodUnit: string } };
  asNeededBoolean: boolean;
  doseAndRate?: { doseQuantity: { value: number; unit?: string } }[];
}
interface MedicationRequest {
  id: string;
  subject: { reference: string };
  dosageInstruction?: Dosage[];
}

function ndjson<R>(file: string): R[] {
  const lines = readFileSync(sharedData(file), 'utf8').split('\n');
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

/** Without our own columns, in an order that does not matter. */
function shown(rows: Row[]): string[] {
  const own = (row: Row) => Object.entries(row).filter(([name]) => !name.startsWith('_') && name !== 'data');
  return rows.map((row) => JSON.stringify(own(row).toSorted(([a], [b]) => (a < b ? -1 : 1)))).toSorted();
}

test('every field of patient and demographic equals a naive reading of the real file', options, async () => {
  const file = 'fhir/10-patients/Patient.ndjson';
  const converted = await fixture.convertFile(sharedData(file));
  const patients = ndjson<Patient>(file);
  const category = (patient: Patient, name: string) =>
    patient.extension
      .find(({ url }) => url === `http://hl7.org/fhir/us/core/StructureDefinition/us-core-${name}`)
      ?.extension?.find(({ url }) => url === 'ombCategory')?.valueCoding?.display ?? null;
  const expected = patients.map((patient) => ({
    patient_id: patient.id,
    gender: patient.gender,
    birth_date: patient.birthDate,
    race: category(patient, 'race'),
    ethnicity: category(patient, 'ethnicity'),
    marital_status: patient.maritalStatus.coding[0]?.code,
    language: patient.communication[0]?.language.coding[0]?.code,
    city: patient.address[0]?.city ?? null,
    state: patient.address[0]?.state ?? null,
    postal_code: patient.address[0]?.postalCode ?? null,
    country: patient.address[0]?.country ?? null,
    is_deceased: patient.deceasedDateTime === undefined ? null : true,
    deceased_date: patient.deceasedDateTime?.slice(0, 10) ?? null,
    active: null,
  }));
  assert.equal(expected.length, 13);
  assert.deepEqual(shown(converted.rows('demographic')), shown(expected));
  assert.deepEqual(
    shown(converted.rows('patient')),
    shown(patients.map(({ id, birthDate }) => ({ patient_id: id, dob: birthDate }))),
  );
});

test('every field of dosage equals a naive reading of the real file', options, async () => {
  const file = 'fhir/10-patients/MedicationRequest.ndjson';
  const converted = await fixture.convertFile(sharedData(file));
  const expected = ndjson<MedicationRequest>(file).flatMap(({ id, subject, dosageInstruction = [] }) =>
    dosageInstruction.map((dosage, index) => ({
      patient_id: subject.reference.slice('Patient/'.length),
      medication_id: id,
      dosage_index: index,
      text: dosage.text ?? null,
      timing_text: null,
      frequency: dosage.timing?.repeat.frequency ?? null,
      period: dosage.timing?.repeat.period ?? null,
      period_unit: dosage.timing?.repeat.periodUnit ?? null,
      as_needed: dosage.asNeededBoolean,
      ...Object.fromEntries(
        ['route_code', 'route_display', 'site_code', 'method_code'].map((name) => [name, null]),
      ),
      dose_value: dosage.doseAndRate?.[0]?.doseQuantity.value ?? null,
      dose_unit: dosage.doseAndRate?.[0]?.doseQuantity.unit ?? null,
      rate_value: null,
      rate_unit: null,
    })),
  );
  assert.equal(expected.length, 410);
  assert.deepEqual(shown(converted.rows('dosage')), shown(expected));
});

test(
  'each resource of the real files has a row, and a warning counts types without a table',
  options,
  async () => {
    const tableOf: Record<string, string> = {
      AllergyIntolerance: 'allergy',
      Condition: 'condition',
      Encounter: 'encounter',
      Immunization: 'immunization',
      MedicationRequest: 'medication',
      Patient: 'patient',
      Procedure: 'procedure',
    };
    for (const name of readdirSync(sharedData('fhir/10-patients'))) {
      const type = name.replace('.ndjson', '');
      const count = ndjson(`fhir/10-patients/${name}`).length;
      const { rows, warnings } = await fixture.convertFile(sharedData(`fhir/10-patients/${name}`));
      const table = tableOf[type];
      if (table) assert.equal(rows(table).length, count, name);
      assert.equal(rows('resource').length, count, name);
      assert.deepEqual(warnings, [], name);
    }
  },
);
