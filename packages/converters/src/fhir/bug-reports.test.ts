/** Cases of public bug reports of other tools. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ConversionFixture } from './conversion.fixture.ts';

let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

const observation = (more: object) => ({
  resourceType: 'Observation',
  id: 'o',
  subject: { reference: 'Patient/p' },
  ...more,
});
const bundle = (entry: object[]) => JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });

async function taken(
  content: string | object,
  table: string,
  ...columns: string[]
): Promise<{ rows: string[]; warnings: string[] }> {
  const text = typeof content === 'string' ? content : `${JSON.stringify(content)}\n`;
  const converted = await fixture.convert(text);
  return {
    rows: converted.rows(table).map((row) => columns.map((column) => String(row[column] ?? '-')).join('|')),
    warnings: converted.warnings.map(({ message }) => message),
  };
}

test('only a day has a time, and the time has to be one', async () => {
  for (const [written, day, warned] of [
    ['2001-11-30T00:00:00', '2001-11-30', 0],
    ['2018-08-27T00:00:00.000+0000', '2018-08-27', 0],
    ['2018-08-27T10:00', '2018-08-27', 0],
    ['2015-03T10:00', '-', 1],
    ['2015T10', '-', 1],
    ['2015-03-09T25:00:00Z', '-', 1],
    ['2015-03-09T24:00:00Z', '-', 1],
    ['2015-03-09T10:00:00+25:00', '-', 1],
    ['202510', '-', 1],
  ] as const) {
    const { rows, warnings } = await taken(
      { resourceType: 'Patient', id: 'p', birthDate: written },
      'patient',
      'dob',
    );
    assert.deepEqual([rows, warnings.length], [[day], warned], written);
  }
});

test('a resource with a mark that may turn its meaning around is only in resource, with a warning', async () => {
  const modifierExtension = [{ url: 'http://example.org/refuted', valueBoolean: true }];
  for (const more of [
    { modifierExtension },
    { component: [{ code: { text: 'a' }, modifierExtension }] },
    { implicitRules: 'http://example.org/rules' },
    { focus: [{ reference: 'RelatedPerson/fetus' }] },
    { extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/observation-focusCode' }] },
  ]) {
    const { rows, warnings } = await taken(observation(more), 'observation', 'id');
    assert.deepEqual(rows, []);
    assert.match(
      warnings[0] ?? '',
      /^(?:modifierExtension|implicitRules|focus) may change its meaning: this Observation is only in resource/,
    );
    assert.deepEqual((await taken(observation(more), 'resource', 'id', 'patient_id')).rows, ['o|p']);
  }
  const empty = observation({ modifierExtension: [], valueString: '"modifierExtension"' });
  assert.deepEqual((await taken(empty, 'observation', 'id')).rows, ['o']);
  const focus = [{ reference: 'Condition/tumour' }, { reference: 'https://ehr.example.org/fhir/Patient/p' }];
  assert.deepEqual((await taken(observation({ focus }), 'observation', 'id')).rows, ['o']);
});

test('a dose that does not count as one is only in resource', async () => {
  const dose = {
    resourceType: 'Immunization',
    id: 'o',
    status: 'completed',
    patient: { reference: 'Patient/p' },
  };
  assert.deepEqual((await taken({ ...dose, isSubpotent: true }, 'immunization', 'id')).rows, []);
  assert.deepEqual((await taken({ ...dose, isSubpotent: false }, 'immunization', 'id')).rows, ['o']);
});

test('a status in a word that FHIR does not define affirms nothing: the row is only in resource', async () => {
  const subject = { reference: 'Patient/p' };
  const coded = { coding: [{ system: 'http://snomed.info/sct', code: '410516002' }], text: 'Known absent' };
  for (const [table, more] of [
    ['procedure', { resourceType: 'Procedure', status: 'notperformed', subject }],
    ['immunization', { resourceType: 'Immunization', status: 'refused', patient: subject }],
    ['medication', { resourceType: 'MedicationStatement', status: 'never-taken', subject }],
    ['condition', { resourceType: 'Condition', verificationStatus: coded, subject }],
    ['allergy', { resourceType: 'AllergyIntolerance', verificationStatus: { text: 'no' }, patient: subject }],
  ] as const) {
    const { rows, warnings } = await taken({ id: 'o', ...more }, table, 'id');
    assert.deepEqual(rows, [], table);
    assert.match(warnings[0] ?? '', /tatus that FHIR does not define may change its meaning/);
    const known = { status: 'Not Done', verificationStatus: { text: 'Refuted' } };
    const { rows: kept } = await taken(
      { id: 'o', ...more, ...known, ...(table === 'medication' && { status: 'not taken' }) },
      table,
      'id',
    );
    assert.deepEqual(kept, ['o'], table);
  }
});

test('a part of a resource never replaces the whole, whatever its time', async () => {
  const whole = {
    resourceType: 'Patient',
    id: 'p',
    birthDate: '1990-01-01',
    meta: { lastUpdated: '2020-01-01T00:00:00Z' },
  };
  const tag = [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' }];
  const part = { resourceType: 'Patient', id: 'p', meta: { lastUpdated: '2021-01-01T00:00:00Z', tag } };
  for (const order of [
    [whole, part],
    [part, whole],
  ]) {
    const lines = order.map((one) => `${JSON.stringify(one)}\n`).join('');
    const { rows, warnings } = await taken(lines, 'patient', 'dob');
    assert.deepEqual(rows, ['1990-01-01']);
    assert.match(warnings.join(), /this partial Patient \(SUBSETTED\) does not replace a complete one/);
  }
  assert.deepEqual((await taken(part, 'patient', 'patient_id')).rows, ['p']);
});

test('digits of a UUID are compared in any case', async () => {
  const [upper, lower] = [
    'urn:uuid:0000000A-0000-4000-8000-000000000001',
    'urn:uuid:0000000a-0000-4000-8000-000000000001',
  ];
  for (const [fullUrl, reference] of [
    [upper, lower],
    [lower, upper],
  ]) {
    const entry = [
      { fullUrl, resource: { resourceType: 'Patient', id: 'p1' } },
      { resource: observation({ subject: { reference } }) },
    ];
    assert.deepEqual((await taken(bundle(entry), 'observation', 'patient_id')).rows, ['p1']);
    assert.deepEqual(
      (await taken(`${bundle(entry)}\n{"resourceType":"Patient","id":"q"}\n`, 'observation', 'patient_id'))
        .rows,
      ['p1'],
    );
  }
  const named = { fullUrl: lower, resource: { resourceType: 'Patient', id: lower.slice(9) } };
  const referring = { resource: observation({ subject: { reference: upper } }) };
  for (const entry of [[named, referring], [referring]])
    for (const text of [bundle(entry), `${bundle(entry)}\n${bundle([])}\n`])
      assert.deepEqual((await taken(text, 'observation', 'patient_id')).rows, [lower.slice(9)]);
  const alone = observation({ subject: { reference: upper } });
  assert.deepEqual((await taken(alone, 'observation', 'patient_id')).rows, [upper.slice(9)]);
});

test('a contained medication is found with the mark of its reference in its id, and a missing one is reported', async () => {
  const request = (id: string) => ({
    resourceType: 'MedicationRequest',
    id: 'm',
    medicationReference: { reference: '#a' },
    contained: [{ resourceType: 'Medication', id, code: { text: 'aspirin' } }],
  });
  for (const id of ['a', '#a'])
    assert.deepEqual(await taken(request(id), 'medication', 'text'), { rows: ['aspirin'], warnings: [] });
  const { rows, warnings } = await taken(request('b'), 'medication', 'text');
  assert.deepEqual(rows, ['-']);
  assert.match(warnings.join(), /medicationReference is not a reference to a contained resource/);
});

test('negations count in the words of every version', async () => {
  for (const [resourceType, field, table, status] of [
    ['Immunization', 'wasNotGiven', 'immunization', 'not-done'],
    ['Immunization', 'notGiven', 'immunization', 'not-done'],
    ['Procedure', 'notPerformed', 'procedure', 'not-done'],
    ['MedicationAdministration', 'wasNotGiven', 'medication', 'not-done'],
    ['MedicationStatement', 'wasNotTaken', 'medication', 'not-taken'],
  ] as const) {
    const resource = { resourceType, id: 'x', status: 'completed', [field]: true };
    assert.deepEqual((await taken(resource, table, 'status')).rows, [status], field);
    assert.deepEqual(
      (await taken({ ...resource, [field]: false }, table, 'status')).rows,
      ['completed'],
      field,
    );
  }
});

test('numbers in other notations, primitives without values and references of any form are read right', async () => {
  const cases: [content: string | object, table: string, columns: string[], row: string][] = [
    [
      '{"resourceType":"Observation","id":"o","valueQuantity":{"value":1.2E+2}}\n',
      'observation',
      ['value_quantity'],
      '120',
    ],
    [
      observation({ component: [{ valueQuantity: { value: 0 } }] }),
      'observation',
      ['component_index', 'value_quantity'],
      '-|-,0|0',
    ],
    [
      {
        resourceType: 'Patient',
        id: 'p',
        birthDate: null,
        _birthDate: { extension: [] },
        address: [{ city: 'X', postalCode: null }],
      },
      'demographic',
      ['birth_date', 'city'],
      '-|X',
    ],
    [
      observation({ effectiveTiming: { event: [null, '2020-01-02'] } }),
      'observation',
      ['effective_date'],
      '2020-01-02',
    ],
    [
      observation({ subject: { reference: 'http://H.org/fhir/Patient/p1/_history/3' } }),
      'observation',
      ['patient_id'],
      'p1',
    ],
    [
      observation({ subject: { reference: '#c' }, contained: [{ resourceType: 'Patient', id: 'c' }] }),
      'observation',
      ['patient_id'],
      '-',
    ],
    ['\ufeff\n{"resourceType":"Patient","id":"p"}\n\n', 'patient', ['patient_id'], 'p'],
    [
      `{"resourceType":"Patient","id":"p"}\n${bundle([{ fullUrl: 'https://h/Patient/p', request: { method: 'DELETE', url: 'Patient/p' } }])}\n`,
      'patient',
      ['patient_id'],
      '',
    ],
  ];
  for (const [content, table, columns, row] of cases) {
    const { rows, warnings } = await taken(content, table, ...columns);
    assert.deepEqual([rows.join(), warnings], [row, []], JSON.stringify(content));
  }
});
