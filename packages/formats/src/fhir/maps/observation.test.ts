import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../index.ts';
import { concept, mapped } from './mapped.fixture.ts';

const observation = (fields: JsonObject) =>
  mapped({
    resourceType: 'Observation',
    id: 'o',
    status: 'final',
    subject: { reference: 'Patient/p' },
    ...fields,
  });

const only = (fields: JsonObject) => observation(fields).rows['observation']?.[0];

test('an observation has a row with all its values', () => {
  const { rows, codings } = observation({
    category: [concept('laboratory')],
    code: concept('718-7'),
    effectivePeriod: { start: '2020-01-01T10:00:00Z', end: '2020-01-02' },
    issued: '2020-01-03T00:00:00Z',
    valueQuantity: { value: 12.5, unit: 'g/dL', code: 'g/dL' },
    interpretation: [concept('H')],
    referenceRange: [{ low: { value: 1 }, high: { value: 10.5 } }],
    bodySite: concept('arm'),
    specimen: { reference: 'Specimen/sp' },
    encounter: { reference: 'Encounter/e' },
  });
  assert.deepEqual(rows, {
    observation: [
      {
        patient_id: 'p',
        id: 'o',
        status: 'final',
        category: 'laboratory',
        code: '718-7',
        system: 's',
        display: '718-7 display',
        text: '718-7 text',
        effective: '2020-01-01T10:00:00Z/2020-01-02',
        effective_date: '2020-01-01',
        issued: '2020-01-03T00:00:00Z',
        value_quantity: 12.5,
        value_unit: 'g/dL',
        interpretation: 'H',
        reference_low: 1,
        reference_high: 10.5,
        body_site_code: 'arm',
        specimen_id: 'sp',
        encounter_id: 'e',
      },
    ],
  });
  assert.deepEqual(codings.toSorted(), [
    'bodySite s|arm arm display',
    'category s|laboratory laboratory display',
    'code s|718-7 718-7 display',
    'interpretation s|H H display',
  ]);
});

test('each kind of value has its column', () => {
  const value = (fields: JsonObject) => {
    const { patient_id, id, status, ...rest } = only(fields) ?? {};
    return rest;
  };
  assert.deepEqual(value({ valueInteger: 3 }), { value_quantity: 3 });
  assert.deepEqual(value({ valueQuantity: { value: 0, code: 'mm' } }), {
    value_quantity: 0,
    value_unit: 'mm',
  });
  assert.deepEqual(value({ valueString: 'x\ny' }), { value_string: 'x\ny' });
  assert.deepEqual(value({ valueTime: '10:00:00' }), { value_string: '10:00:00' });
  assert.deepEqual(value({ valueBoolean: false }), { value_boolean: false });
  assert.deepEqual(value({ valueDateTime: '2020' }), { value_date: '2020-01-01' });
  assert.deepEqual(value({ valueCodeableConcept: concept('A') }), {
    value_codeable_concept_code: 'A',
    value_codeable_concept_system: 's',
    value_codeable_concept_display: 'A display',
  });
  assert.deepEqual(value({ valueRatio: { numerator: { value: 1 } } }), {});
});

test('a component has what it measured, and shares the rest with its observation', () => {
  const { rows, codings } = observation({
    category: [concept('vital-signs')],
    code: concept('85354-9'),
    effectiveDateTime: '2020-01-01',
    interpretation: [concept('N')],
    component: [
      {
        code: concept('8480-6'),
        valueQuantity: { value: 120, unit: 'mmHg' },
        interpretation: [concept('H')],
      },
      { code: concept('8462-4'), valueString: 'x' },
    ],
  });
  const shared = {
    patient_id: 'p',
    id: 'o',
    status: 'final',
    category: 'vital-signs',
    effective: '2020-01-01',
    effective_date: '2020-01-01',
  };
  const coded = (code: string) => ({ code, system: 's', display: `${code} display`, text: `${code} text` });
  assert.deepEqual(rows['observation'], [
    { ...shared, ...coded('85354-9'), interpretation: 'N' },
    {
      ...shared,
      ...coded('8480-6'),
      component_index: 0,
      value_quantity: 120,
      value_unit: 'mmHg',
      interpretation: 'H',
    },
    { ...shared, ...coded('8462-4'), component_index: 1, value_string: 'x' },
  ]);
  assert.ok(codings.includes('component.code s|8462-4 8462-4 display'));
});

test('STU3 names the encounter "context" and has one interpretation', () => {
  const row = only({
    context: { reference: 'Encounter/e' },
    interpretation: concept('L'),
    comment: 'free text',
  });
  assert.equal(row?.['encounter_id'], 'e');
  assert.equal(row?.['interpretation'], 'L');
});

test('a field of the wrong type is left out and reported; the rest is read', () => {
  const { rows, unreadable } = observation({
    status: 5,
    code: 'plain',
    category: 'laboratory',
    effectiveDateTime: 'yesterday',
    valueQuantity: { value: '12', unit: ['mm'] },
    component: [1, { code: concept('A') }],
    encounter: 'Encounter/e',
    referenceRange: 'x',
  });
  assert.deepEqual(rows['observation']?.[0], {
    patient_id: 'p',
    id: 'o',
    category: 'laboratory',
    effective: 'yesterday',
    value_unit: 'mm',
  });
  assert.equal(rows['observation']?.length, 2);
  const reported = [...new Set(unreadable)].toSorted();
  assert.deepEqual(reported, [
    'code: an object',
    'component[0]: an object',
    'effectiveDateTime: a date',
    'encounter: an object',
    'referenceRange: an object',
    'status: one of registered, specimen-in-process, preliminary, final, amended, corrected, appended, cancelled, cannot-be-obtained, entered-in-error, unknown',
    'valueQuantity.value: a number',
  ]);
});

test('keys that objects inherit or that mean something to the runtime are plain keys', () => {
  const text =
    '{"resourceType":"Observation","id":"o","__proto__":{"status":"final"},"constructor":1,"toString":"x"}';
  const { rows } = mapped(JSON.parse(text));
  assert.deepEqual(rows, { observation: [{ id: 'o' }] });
});

test('a result in words only is a text; where it is coded, its columns have it', () => {
  const value = (fields: JsonObject) => {
    const { rows } = mapped({ resourceType: 'Observation', id: 'o', ...fields });
    const { id, ...row } = rows['observation']?.at(-1) ?? {};
    return row;
  };
  const words = { valueCodeableConcept: { text: 'Positive' } };
  assert.deepEqual(value(words), { value_string: 'Positive' });
  assert.deepEqual(value({ component: [words] }), { component_index: 0, value_string: 'Positive' });
  assert.deepEqual(value({ valueCodeableConcept: { coding: [{ system: 's' }], text: 'Positive' } }), {
    value_string: 'Positive',
    value_codeable_concept_system: 's',
  });
  assert.deepEqual(value({ valueCodeableConcept: { coding: [{ code: 'P' }], text: 'Positive' } }), {
    value_codeable_concept_code: 'P',
  });
});

test('a period without ends is none, and does not hide behind its slash', () => {
  const extension = [{ url: 'data-absent-reason', valueCode: 'masked' }];
  for (const effectivePeriod of [{ extension }, { _start: { extension } }, {}])
    assert.equal(only({ effectivePeriod })?.['effective'], undefined);
});

test('the unit of a range is that of an end with a number', () => {
  const unitOf = (low: JsonObject, high: JsonObject) => only({ valueRange: { low, high } })?.['value_unit'];
  assert.equal(unitOf({ value: 1 }, { value: 2, unit: 'kg' }), 'kg');
  assert.equal(unitOf({ unit: 'g' }, { value: 5, code: 'mg' }), 'mg');
  assert.equal(unitOf({ value: 1, unit: 'g' }, { value: 2, unit: 'g' }), 'g');
  assert.equal(unitOf({ unit: 'g' }, { unit: 'g' }), undefined);
});

test('a unit that contradicts its code, and a range whose ends have two units, are left out with a warning', () => {
  const unitOf = (unit: string, code: string) =>
    only({ valueQuantity: { value: 5, unit, code } })?.['value_unit'];
  for (const [unit, code] of [
    ['mg/dL', 'g/L'],
    ['kg', '[lb_av]'],
    ['mmol/L', 'umol/L'],
    ['cm', 'Cel'],
  ] as const)
    assert.equal(unitOf(unit, code), undefined, unit);
  for (const [unit, code] of [
    ['mg/dl', 'mg/dL'],
    ['µg/L', 'ug/L'],
    ['mcg', 'ug'],
    ['mmHg', 'mm[Hg]'],
    ['beats/min', '/min'],
    ['x10E3/uL', '10*3/uL'],
  ] as const)
    assert.equal(unitOf(unit, code), unit);
  const { value_string, value_unit } =
    only({ valueRange: { low: { value: 1, unit: 'mg' }, high: { value: 5, unit: 'g' } } }) ?? {};
  assert.deepEqual([value_string, value_unit], [undefined, undefined]);
  const { unreadable } = mapped({
    ...{ resourceType: 'Observation', id: 'o', status: 'final' },
    ...{ valueQuantity: { value: 5, unit: 'mg/dL', code: 'g/L' } },
  });
  assert.match(JSON.stringify(unreadable), /valueQuantity\.unit/);
});

test('a ratio keeps the unit of its second number alone', () => {
  const valueRatio = { numerator: { value: 1 }, denominator: { value: 128, unit: 'mL' } };
  assert.equal(only({ valueRatio })?.['value_unit'], '/mL');
});
