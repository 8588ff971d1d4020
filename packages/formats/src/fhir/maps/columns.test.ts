import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexColumn, tables } from '../../tables/index.ts';
import type { JsonObject } from '../index.ts';
import { doses, plain, elements as specified } from './column-examples.fixture.ts';
import { extensionElements } from './extension-examples.fixture.ts';
import { mapped } from './mapped.fixture.ts';

const elements = [...specified, ...extensionElements];

/** Tables in which one field fills several columns. */
const together: Record<string, Record<string, JsonObject>> = {
  demographic: { deceased_date: { is_deceased: true } },
  observation: {
    effective: { effective_date: '2020-01-01' },
    effective_date: { effective: '2020-01-02T01:00:00+14:00' },
  },
};
/** Columns without a field in FHIR, or with the subject of the row. */
const elsewhere = new Set<string | undefined>([
  'patient_id',
  'id',
  'medication_id',
  'data',
  'resource_type',
  ...[...tables.values()].map((table) => indexColumn(table)),
]);
const withoutField = new Set(['sequence.test_type', 'media.file_id']);

const subject = { reference: 'Patient/p' };

function rowsOf(resourceType: string, table: string, fields: JsonObject): Record<string, unknown>[] {
  const about = resourceType.endsWith('equence') ? { patient: subject } : { subject };
  const { rows, unreadable } = mapped({
    resourceType,
    id: 'x',
    ...(resourceType !== 'Patient' && about),
    ...fields,
  });
  assert.deepEqual(unreadable, []);
  return rows[table] ?? [];
}

const identityOf = (resourceType: string): JsonObject =>
  resourceType === 'Patient' ? { patient_id: 'x' } : { patient_id: 'p', id: 'x' };

for (const { table, r4, stu3 = r4, always = {}, columns } of elements) {
  test(`each column of ${table} is read from ${r4} of R4 and of STU3 (${stu3}), and from nothing else`, () => {
    for (const resourceType of new Set([r4, stu3]))
      assert.deepEqual(rowsOf(resourceType, table, {}), [{ ...identityOf(resourceType), ...always }]);
    for (const [column, [value, ofR4, ofStu3 = ofR4]] of Object.entries(columns)) {
      const versions: [string, JsonObject | null][] = [
        [r4, ofR4],
        [stu3, ofStu3],
      ];
      for (const [resourceType, fields] of versions) {
        if (fields === null) continue;
        const [row, ...others] = rowsOf(resourceType, table, fields);
        const { [column]: found, ...rest } = row ?? {};
        assert.equal(found, value, `${table}.${column} of ${resourceType} ${JSON.stringify(fields)}`);
        assert.deepEqual(others, []);
        const expected = { ...identityOf(resourceType), ...always, ...companions(table, column, fields) };
        assert.deepEqual(rest, expected, `${table}.${column}: nothing else`);
      }
    }
  });
}

/** Other columns that the fields fill. */
function companions(table: string, column: string, fields: JsonObject): JsonObject {
  if (table === 'media' && column === 'url') return {};
  const { rowsOf = '' } = tables.get(table) ?? {};
  if (fields[rowsOf]) return { [indexColumn({ rowsOf }) ?? '']: 0 };
  return (
    together[table]?.[column] ?? (fields['status'] && column !== 'status' ? { status: fields['status'] } : {})
  );
}

test('each column of dosage is read from a Dosage of R4, of STU3 and of an administration only', () => {
  const identity = { patient_id: 'p', medication_id: 'x', dosage_index: 0 };
  const kinds: [string, string][] = [
    ['MedicationRequest', 'dosageInstruction'],
    ['MedicationDispense', 'dosageInstruction'],
    ['MedicationStatement', 'dosage'],
    ['MedicationAdministration', 'dosage'],
  ];
  for (const [type, key] of kinds) {
    for (const [column, [value, ...all]] of Object.entries(doses)) {
      for (const fields of all) {
        // An administration has one dosage, the others a list.
        const dosage = type === 'MedicationAdministration' ? fields : [fields];
        assert.deepEqual(
          rowsOf(type, 'dosage', { [key]: dosage }),
          [{ ...identity, [column]: value }],
          `${type}.${column}`,
        );
      }
    }
    assert.deepEqual(rowsOf(type, 'dosage', { [key]: [{}] }), [identity]);
    assert.deepEqual(rowsOf(type, 'dosage', {}), []);
  }
  assert.equal(
    rowsOf('MedicationRequest', 'dosage', {
      dosageInstruction: [{ doseQuantity: { value: 2.5, unit: 'mg' } }],
    })[0]?.['dose_unit'],
    'mg',
  );
});

test('each column that a component has of its own is read as that of the observation', () => {
  const own = elements.find(({ table }) => table === 'observation')?.columns ?? {};
  const measured = Object.entries(own).filter(([column]) =>
    /^(code|system|display|text|value_|interpretation|reference_)/.test(column),
  );
  assert.equal(measured.length, 16);
  for (const [column, [value, ...versions]] of measured) {
    for (const fields of versions) {
      if (!fields) continue;
      const rows = rowsOf('Observation', 'observation', { component: [{}, fields] });
      const identity = { patient_id: 'p', id: 'x' };
      assert.deepEqual(rows, [
        identity,
        { ...identity, component_index: 0 },
        { ...identity, component_index: 1, [column]: value },
      ]);
    }
  }
});

test('ranges and ratios are texts with a unit; what is no single value is in no column', () => {
  const value = (fields: JsonObject) => {
    const { patient_id, id, ...rest } = rowsOf('Observation', 'observation', fields)[0] ?? {};
    return rest;
  };
  const mg = (number: number) => ({ value: number, unit: 'mg' });
  assert.deepEqual(value({ valueRange: { low: mg(1), high: mg(5) } }), {
    value_string: '1-5',
    value_unit: 'mg',
  });
  assert.deepEqual(value({ valueRange: { high: { value: 5 } } }), { value_string: '<=5' });
  assert.deepEqual(value({ valueRange: { low: { value: 5 } } }), { value_string: '>=5' });
  const titre = { numerator: { value: 1, comparator: '<' }, denominator: { value: 128 } };
  assert.deepEqual(value({ valueRatio: titre }), { value_string: '<1:128' });
  const rate = { numerator: mg(3), denominator: { value: 1, code: 'mL' } };
  assert.deepEqual(value({ valueRatio: rate }), { value_string: '3:1', value_unit: 'mg/mL' });
  for (const nothing of [
    { valueRatio: { numerator: mg(1) } },
    { valueSampledData: { data: '1 2' } },
    { valueRange: {} },
  ])
    assert.equal(value(nothing)['value_string'], undefined);
});

test('no column of a clinical table is without an example', () => {
  const missing: string[] = [];
  for (const table of tables.values()) {
    // Rows of `resource` are not mapped.
    if (table.fhirTypes.length === 0) continue;
    const read = new Set(
      elements.filter((one) => one.table === table.name).flatMap(({ columns }) => Object.keys(columns)),
    );
    if (table.name === 'dosage') for (const name of Object.keys(doses)) read.add(name);
    for (const { name } of table.columns) {
      const known = elsewhere.has(name) || withoutField.has(`${table.name}.${name}`) || read.has(name);
      if (!known)
        missing.push(
          `${table.name}.${name} has no example: add it to extension-examples.fixture.ts, or to \`elsewhere\` of columns.test.ts`,
        );
    }
  }
  assert.deepEqual(missing, []);
});

test('the file of media is the one that its address names; FHIR has no kind of test for sequence', () => {
  const id = '01890a5d-ac96-774b-bcce-b302099a8057';
  const url = `/v1/files/${id}`;
  assert.deepEqual(rowsOf('Media', 'media', { content: { url } })[0]?.['file_id'], id);
  assert.equal(rowsOf('MolecularSequence', 'sequence', {})[0]?.['test_type'], undefined);
});

test('a value with a data-absent-reason is NULL, without a warning', () => {
  const absent = {
    extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
  };
  const fields = { birthDate: null, _birthDate: absent, _gender: absent, _deceasedDateTime: absent };
  // `deceasedDateTime` is there: the day of death is what is unknown.
  assert.deepEqual(rowsOf('Patient', 'demographic', fields), [{ patient_id: 'x', is_deceased: true }]);
  assert.deepEqual(rowsOf('Patient', 'patient', { birthDate: '1970-01-01', _birthDate: absent }), [
    { patient_id: 'x', dob: '1970-01-01' },
  ]);
  const observation = { _status: absent, dataAbsentReason: plain('unknown'), code: { _text: absent } };
  assert.deepEqual(rowsOf('Observation', 'observation', observation), [{ patient_id: 'p', id: 'x' }]);
});

test('a present home counts among several addresses, then a present one, then the first', () => {
  const city = (...address: JsonObject[]) => rowsOf('Patient', 'demographic', { address })[0]?.['city'];
  const [old, work, ended] = [
    { use: 'old', city: 'old' },
    { use: 'work', city: 'work' },
    { use: 'home', city: 'ended', period: { end: '2000' } },
  ];
  assert.equal(city(old, work, { use: 'home', city: 'home' }), 'home');
  assert.equal(city(old, ended, work), 'work');
  assert.equal(city(old, ended), 'old');
});
