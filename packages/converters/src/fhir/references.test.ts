import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ConversionFixture, type Row } from './conversion.fixture.ts';

let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

const uuid = (digit: number) => `urn:uuid:00000000-0000-4000-8000-00000000000${digit}`;
const bundle = (entry: object[]) => JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });
const condition = (reference: string, encounter?: string) => ({
  resourceType: 'Condition',
  id: 'c',
  subject: { reference },
  ...(encounter === undefined ? {} : { encounter: { reference: encounter } }),
});

test('a URN is resolved through the full URL of an entry, anywhere in the source', async () => {
  const patient = { fullUrl: uuid(1), resource: { resourceType: 'Patient', id: 'p1' } };
  const encounter = { fullUrl: uuid(2), resource: { resourceType: 'Encounter', id: 'e1' } };
  const referring = { fullUrl: uuid(3), resource: condition(uuid(1), uuid(2)) };
  for (const entries of [
    [patient, encounter, referring],
    [referring, encounter, patient],
  ]) {
    const { rows, warnings, files } = await fixture.convert(bundle(entries));
    assert.equal(rows('condition')[0]?.['patient_id'], 'p1');
    assert.equal(rows('_resource').find((row) => row['resource_type'] === 'Condition')?.['patient_id'], 'p1');
    assert.equal(warnings.filter(({ message }) => message.includes('Condition')).length, 0);
    assert.ok(!files.some((name) => name.startsWith('stage')));
  }
});

test('a resource that the server is to name is known by the UUID of its entry', async () => {
  const { rows } = await fixture.convert(
    bundle([
      {
        fullUrl: uuid(1),
        resource: { resourceType: 'Patient' },
        request: { method: 'POST', url: 'Patient' },
      },
      { fullUrl: uuid(2), resource: condition(uuid(1)) },
    ]),
  );
  const id = '00000000-0000-4000-8000-000000000001';
  assert.deepEqual(
    rows('patient').map((row) => row['patient_id']),
    [id],
  );
  assert.equal(rows('condition')[0]?.['patient_id'], id);
});

test('a resource without a subject, or with another one than a patient, is taken without a patient', async () => {
  const { rows, warnings } = await fixture.convertResources(
    { resourceType: 'Observation', id: '1' },
    { resourceType: 'Observation', id: '2', subject: { reference: 'Location/x' } },
    { resourceType: 'Observation', id: '3', subject: { reference: 'Patient?identifier=x' } },
    { resourceType: 'Observation', id: '4', subject: { display: 'somebody' } },
  );
  assert.deepEqual(
    rows('observation').map((row) => row['patient_id']),
    [null, null, null, null],
  );
  assert.deepEqual(warnings, [
    { line: 3, message: 'Observation.subject.reference is not a reference by type and id; it was left out' },
  ]);
});

test('rows that refer to a Medication name it, and have the content of its newest version beside them', async () => {
  const request = (id: string, medication: string, patient: string) => ({
    resourceType: 'MedicationRequest',
    id,
    subject: { reference: `Patient/${patient}` },
    medicationReference: { reference: medication },
  });
  const medication = (code: string, lastUpdated: string) => ({
    resourceType: 'Medication',
    id: 'aspirin',
    meta: { lastUpdated },
    code: {
      coding: [
        { code, system: 's', display: 'd' },
        { code: `${code}-2`, system: 't' },
      ],
      text: 't',
    },
  });
  const { rows } = await fixture.convertResources(
    request('b', 'Medication/aspirin', 'q'),
    medication('new', '2021-01-01T00:00:00Z'),
    medication('old', '2020-01-01T00:00:00Z'),
    request('a', 'Medication/aspirin', 'p'),
    request('c', 'Medication/unknown', 'a'),
    {
      ...request('d', '#x', 'z'),
      medicationReference: undefined,
      medicationCodeableConcept: { text: 'own' },
    },
  );
  assert.deepEqual(
    rows('medication').map((row) => [row['patient_id'], row['_medication_id'], row['code'], row['text']]),
    [
      ['a', 'unknown', null, null],
      ['p', 'aspirin', null, null],
      ['q', 'aspirin', null, null],
      ['z', null, null, 'own'],
    ],
  );
  const said = { code: 'new', system: 's', display: 'd', text: 't' };
  assert.deepEqual(rows('_medication'), [{ resource_type: 'Medication', resource_id: 'aspirin', ...said }]);
  const codings = rows('coding').filter((row) => row['resource_type'] === 'Medication');
  assert.deepEqual(
    codings.map((row) => [row['resource_id'], row['element'], row['code']]),
    [
      ['aspirin', 'code', 'new'],
      ['aspirin', 'code', 'new-2'],
    ],
  );
});

test('samples are linked to patients by the ids and identifiers of specimens and sequences', async () => {
  const patient = { reference: 'Patient/p' };
  const { rows } = await fixture.convertResources(
    { resourceType: 'Specimen', id: 'sp', subject: patient, identifier: [{ value: 'NA1' }] },
    {
      resourceType: 'MolecularSequence',
      id: 'seq',
      patient,
      specimen: { reference: 'Specimen/sp' },
      type: 'dna',
    },
  );
  assert.deepEqual(rows('_sample_link'), [
    { sample_name: 'NA1', patient_id: 'p', specimen_id: 'sp', resource_type: 'Specimen', resource_id: 'sp' },
    {
      sample_name: 'seq',
      patient_id: 'p',
      specimen_id: 'sp',
      resource_type: 'MolecularSequence',
      resource_id: 'seq',
    },
    { sample_name: 'sp', patient_id: 'p', specimen_id: 'sp', resource_type: 'Specimen', resource_id: 'sp' },
  ]);
  assert.equal(rows('sequence')[0]?.['specimen_id'], 'sp');
});

const observed = (id: string, reference: string, more: object = {}) => ({
  resourceType: 'Observation',
  id,
  subject: { reference },
  ...more,
});
const patientsOf = (rows: (table: string) => Row[]) =>
  rows('observation').map((row) => [row['id'], row['patient_id']]);

test('a URN names what it names in its own Bundle, also where another Bundle of the source uses the same', async () => {
  const of = (patient: string) =>
    bundle([
      { fullUrl: uuid(1), resource: { resourceType: 'Patient', id: patient } },
      { resource: observed(`of-${patient}`, uuid(1)) },
    ]);
  const { rows, warnings } = await fixture.convert(`${of('q')}\n${of('p')}\n`);
  assert.deepEqual(patientsOf(rows), [
    ['of-p', 'p'],
    ['of-q', 'q'],
  ]);
  assert.deepEqual(warnings, []);
});

test('a URN that names several resources of the source names no resource outside of their Bundles', async () => {
  const named = (patient: string) => ({
    fullUrl: uuid(1),
    resource: { resourceType: 'Patient', id: patient },
  });
  const referring = { resource: observed('o', uuid(1)) };
  for (const source of [
    `${bundle([named('p')])}\n${bundle([named('q')])}\n${bundle([referring])}\n`,
    bundle([named('p'), referring, named('q')]),
    `${bundle([named('p')])}${bundle([referring])}${bundle([named('q')])}`,
  ]) {
    const { rows, warnings } = await fixture.convert(source);
    assert.deepEqual(patientsOf(rows), [['o', null]]);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]?.message ?? '', /^1 references by full URL .* match several resources/);
  }
});

test('a group, device or location is no patient and an episode of care no encounter, by whatever they are named', async () => {
  const entries = ['Group', 'Device', 'Location', 'EpisodeOfCare', 'Encounter'].map(
    (resourceType, index) => ({
      fullUrl: uuid(index + 1),
      // The even ones have the id of the URN.
      resource: { resourceType, id: index % 2 === 0 ? uuid(index + 1).slice(9) : `own-${index}` },
    }),
  );
  const referring = [1, 2, 3].map((digit) => ({
    resource: observed(`o${digit}`, uuid(digit), {
      encounter: { reference: digit === 1 ? uuid(4) : uuid(5) },
    }),
  }));
  for (const source of [bundle([...referring, ...entries]), `${bundle([...referring, ...entries])}\n\n`]) {
    const { rows } = await fixture.convert(source);
    assert.deepEqual(
      rows('observation').map((row) => [row['id'], row['patient_id'], row['encounter_id']]),
      [
        ['o1', null, null],
        ['o2', null, uuid(5).slice(9)],
        ['o3', null, uuid(5).slice(9)],
      ],
    );
  }
});

test('an Encounter with another id than its URN is named by its id', async () => {
  const { rows } = await fixture.convert(
    bundle([
      { fullUrl: uuid(1), resource: { resourceType: 'Encounter', id: 'e1' } },
      { resource: observed('o', 'Patient/p', { encounter: { reference: uuid(1) } }) },
    ]),
  );
  assert.equal(rows('observation')[0]?.['encounter_id'], 'e1');
});

test('an order not to give a medication does not count as an active one', async () => {
  const { rows } = await fixture.convertResources({
    resourceType: 'MedicationRequest',
    id: 'm',
    status: 'active',
    intent: 'order',
    doNotPerform: true,
    subject: { reference: 'Patient/p' },
  });
  assert.equal(rows('medication')[0]?.['status'], 'do-not-perform');
});

test('a URN names the resource of its own Bundle, even if its text names another, or that is no patient', async () => {
  const shared = uuid(1);
  const own = { fullUrl: shared, resource: { resourceType: 'Patient', id: shared.slice(9) } };
  const unnamed = { fullUrl: shared, resource: { resourceType: 'Patient' } };
  const practitioner = { fullUrl: shared, resource: { resourceType: 'Practitioner', id: 'dr' } };
  const other = bundle([
    { fullUrl: shared, resource: { resourceType: 'Patient', id: 'p2' } },
    { resource: observed('of-p2', shared) },
  ]);
  for (const [first, expected] of [
    [own, shared.slice(9)],
    [unnamed, shared.slice(9)],
    [practitioner, null],
  ] as const) {
    const ours = bundle([first, { resource: observed('ours', shared) }]);
    const indented = (text: string) => JSON.stringify(JSON.parse(text), null, 1);
    for (const source of [
      `${ours}\n${other}\n`,
      `${other}\n${ours}\n`,
      `${indented(other)}${indented(ours)}`,
      `[${ours},${other}]`,
      bundle([{ resource: JSON.parse(ours) }, { resource: JSON.parse(other) }]),
    ]) {
      const { rows } = await fixture.convert(source);
      assert.deepEqual(
        patientsOf(rows).toSorted(),
        [
          ['of-p2', 'p2'],
          ['ours', expected],
        ],
        source.slice(0, 200),
      );
    }
  }
});

test('a Bundle around another keeps its own meaning of a URN', async () => {
  const inner = bundle([
    { fullUrl: uuid(1), resource: { resourceType: 'Patient', id: 'inner' } },
    { resource: observed('of-inner', uuid(1)) },
  ]);
  const outer = bundle([
    { fullUrl: uuid(1), resource: { resourceType: 'Patient', id: 'outer' } },
    { resource: JSON.parse(inner) },
    { resource: observed('of-outer', uuid(1)) },
  ]);
  for (const source of [outer, `${outer}\n${bundle([])}`, `[${outer}]`]) {
    const { rows, warnings } = await fixture.convert(source);
    assert.deepEqual(patientsOf(rows), [
      ['of-inner', 'inner'],
      ['of-outer', 'outer'],
    ]);
    assert.deepEqual(warnings, []);
  }
});
