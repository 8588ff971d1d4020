import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ConversionFixture } from './conversion.fixture.ts';

let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

const version = (city: string, lastUpdated?: string, id = 'p') => ({
  resourceType: 'Patient',
  id,
  address: [{ city }],
  ...(lastUpdated === undefined ? {} : { meta: { lastUpdated } }),
});

test('the newest version of an id wins, and the later of equally new ones', async () => {
  const cases: [object[], string][] = [
    [[version('old', '2020-01-01T00:00:00Z'), version('new', '2021-01-01T00:00:00Z')], 'new'],
    [[version('new', '2021-01-01T00:00:00Z'), version('old', '2020-01-01T00:00:00Z')], 'new'],
    [[version('new', '2020-01-01T01:00:00-05:00'), version('old', '2020-01-01T05:59:59Z')], 'new'],
    [[version('first'), version('later')], 'later'],
    [[version('first', '2020-01-01T00:00:00Z'), version('later', '2020-01-01T00:00:00Z')], 'later'],
    [[version('dated', '2020-01-01T00:00:00Z'), version('undated')], 'dated'],
  ];
  for (const [versions, winner] of cases) {
    const { rows } = await fixture.convertResources(version('other', undefined, 'q'), ...versions);
    const expected = [
      ['p', winner],
      ['q', 'other'],
    ];
    assert.deepEqual(
      rows('demographic').map((row) => [row['patient_id'], row['city']]),
      expected,
    );
    assert.deepEqual(
      rows('_resource').map((row) => row['resource_id']),
      ['p', 'q'],
    );
  }
});

test('nothing of an older version is left: no component, coding, dosage or sample name', async () => {
  const observation = (code: string, components: number) => ({
    resourceType: 'Observation',
    id: 'o',
    code: { coding: [{ code }] },
    component: Array.from({ length: components }, () => ({ code: { coding: [{ code }] } })),
  });
  const request = (text: string) => ({
    resourceType: 'MedicationRequest',
    id: 'm',
    dosageInstruction: [{ text }, { text }],
  });
  const specimen = (value: string) => ({ resourceType: 'Specimen', id: 's', identifier: [{ value }] });
  const { rows } = await fixture.convertResources(
    observation('old', 3),
    request('old'),
    specimen('old'),
    observation('new', 1),
    { ...request('new'), dosageInstruction: [{ text: 'new' }] },
    specimen('new'),
  );
  assert.deepEqual(
    rows('observation').map((row) => row['code']),
    ['new', 'new'],
  );
  assert.deepEqual(
    rows('coding').map((row) => row['code']),
    ['new', 'new'],
  );
  assert.deepEqual(
    rows('dosage').map((row) => row['text']),
    ['new'],
  );
  assert.deepEqual(
    rows('_sample_link').map((row) => row['sample_name']),
    ['new', 's'],
  );
});

test('equal ids of two types are two resources', async () => {
  const { rows } = await fixture.convertResources(
    { resourceType: 'MedicationRequest', id: 'x' },
    { resourceType: 'MedicationStatement', id: 'x' },
    { resourceType: 'Condition', id: 'x' },
  );
  assert.equal(rows('medication').length, 2);
  assert.equal(rows('_resource').length, 3);
});

test('an entry that deletes removes the resource and leaves a note', async () => {
  const bundle = (type: string, entry: object[]) => JSON.stringify({ resourceType: 'Bundle', type, entry });
  const removal = { request: { method: 'DELETE', url: 'Patient/p' } };
  const timed = { ...removal, response: { lastModified: '2020-06-01T00:00:00Z' } };
  const live = (lastUpdated?: string) => ({ resource: version('x', lastUpdated) });
  const deleted = async (content: string) => {
    const { rows } = await fixture.convert(content);
    const [note, ...others] = rows('_resource');
    assert.equal(others.length, 0);
    assert.equal(rows('patient').length, note?.['deleted'] ? 0 : 1);
    return note?.['deleted'];
  };
  assert.equal(await deleted(bundle('transaction', [removal])), true);
  assert.equal(await deleted(bundle('transaction', [live(), removal])), true);
  assert.equal(await deleted(bundle('history', [timed, live('2020-01-01T00:00:00Z')])), true);
  assert.equal(await deleted(bundle('history', [live('2021-01-01T00:00:00Z'), timed])), false);
});

test('a removal without a time removes earlier versions only', async () => {
  const removal = { request: { method: 'DELETE', url: 'Patient/p' } };
  const kinds = ['removal', undefined, '2020-01-01T00:00:00.000000Z', '2021-01-01T00:00:00.000000Z'] as const;
  const orders = [0, 1, 2].reduce<(typeof kinds)[number][][]>(
    (lists) => lists.flatMap((list) => kinds.map((kind) => [...list, kind])),
    [[]],
  );
  const names = ['a', 'b', 'c'];
  for (const order of orders) {
    const entry = order.map((kind, at) =>
      kind === 'removal' ? removal : { resource: version(names[at] ?? '', kind) },
    );
    const { rows } = await fixture.convert(
      JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry }),
    );
    const left = order
      .map((time, at) => ({ time: time ?? '', name: names[at] }))
      .slice(order.lastIndexOf('removal') + 1)
      .sort((one, other) => (one.time < other.time ? -1 : Number(one.time > other.time)));
    const expected = left.map(({ name }) => name).slice(-1);
    const shown = rows('demographic').map((row) => row['city']);
    assert.deepEqual(shown, expected, order.join(', '));
  }
});

test('an entry that deletes on a condition removes nothing and is reported', async () => {
  const entry = [
    { resource: version('kept') },
    { request: { method: 'DELETE', url: 'Patient?identifier=p' } },
    { request: { method: 'DELETE', url: 'http://x.org/fhir/Patient/p/_history/2' } },
    { request: { method: 'delete', url: 'http://x.org/fhir/Patient/q' } },
    { request: { method: 'DELETE', url: '/Patient/r' } },
  ];
  const content = JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });
  const { rows, warnings } = await fixture.convert(content);
  assert.deepEqual(
    rows('_resource').map((row) => [row['resource_id'], row['deleted']]),
    [
      ['p', false],
      ['q', true],
      ['r', true],
    ],
  );
  assert.deepEqual(
    warnings.map(({ message }) => message),
    [2, 3].map(
      (entry) => `entry ${entry}: it is a DELETE without the type and id of a resource; it was left out`,
    ),
  );
});

test('an entry that changes a part of a resource is left out and reported, and no other resource is', async () => {
  const request = { method: 'PATCH', url: 'Patient/p' };
  const entry = [
    { resource: version('kept') },
    { resource: { resourceType: 'Parameters', parameter: [] }, request },
    {
      resource: { resourceType: 'Binary', contentType: 'application/json-patch+json', data: 'W10=' },
      request,
    },
    { request: { method: 'patch', url: 'Patient/p' } },
    { resource: { resourceType: 'Binary' } },
  ];
  const reported = (number: number) =>
    `entry ${number}: it is a PATCH, which is not supported; it was left out`;
  const { rows, warnings } = await fixture.convert(
    JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry }),
  );
  assert.equal(rows('patient').length, 1);
  assert.deepEqual(warnings.map(({ message }) => message).sort(), [
    'Binary: 1 resources without an id were left out',
    reported(2),
    reported(3),
    reported(4),
  ]);
  // A patch in a history has the resulting version as its resource.
  const history = {
    resourceType: 'Bundle',
    type: 'history',
    entry: [{ resource: version('made'), request }],
  };
  const made = await fixture.convert(JSON.stringify(history));
  assert.equal(made.rows('demographic')[0]?.['city'], 'made');
  assert.deepEqual(made.warnings, []);
});

test('a deletion in a history that names its own version removes the resource', async () => {
  const entry = [
    {
      request: { method: 'DELETE', url: 'Patient/p/_history/2' },
      response: { lastModified: '2020-06-01T00:00:00Z' },
    },
    { resource: version('x', '2020-01-01T00:00:00Z') },
  ];
  const history = { resourceType: 'Bundle', type: 'history', entry };
  const saidLate = { resourceType: 'Bundle', entry, type: 'history' };
  for (const bundle of [history, saidLate]) {
    const { rows, warnings } = await fixture.convert(JSON.stringify(bundle, null, 1));
    assert.equal(rows('patient').length, 0);
    assert.deepEqual(warnings, []);
  }
});

test('a history without times is read from the newest version to the oldest', async () => {
  const entry = [{ resource: version('newest') }, { resource: version('oldest') }];
  const { rows } = await fixture.convert(JSON.stringify({ resourceType: 'Bundle', type: 'history', entry }));
  assert.deepEqual(
    rows('demographic').map((row) => row['city']),
    ['newest'],
  );
});

test('a Bundle that proves to be a history after its entries is read as one, and no other Bundle', async () => {
  const entry = [{ resource: version('first') }, { resource: version('second') }];
  const history = JSON.stringify({ resourceType: 'Bundle', entry, type: 'history' });
  const batch = JSON.stringify({
    resourceType: 'Bundle',
    entry: [{ resource: version('first', undefined, 'q') }, { resource: version('second', undefined, 'q') }],
    type: 'batch',
  });
  for (const [source, reported] of [
    [`${batch}\n${history}`, 0],
    [`${history}${batch}`, 0],
    [
      `{"resourceType":"Bundle","entry":[{"request":{"method":"DELETE","url":"?"}}],"type":"batch"}${history}${batch}`,
      1,
    ],
  ] as const) {
    const { rows, warnings } = await fixture.convert(source);
    assert.deepEqual(
      rows('demographic').map((row) => [row['patient_id'], row['city']]),
      [
        ['p', 'first'],
        ['q', 'second'],
      ],
    );
    assert.equal(warnings.length, reported);
  }
});

test('each row names its resource, and the time of its update', async () => {
  const { rows } = await fixture.convertResources(version('x', '2020-01-01T01:00:00.5+02:00'), {
    resourceType: 'MedicationStatement',
    id: 'm',
    subject: { reference: 'Patient/p' },
    dosage: [{ text: 'x' }],
  });
  const [demographic] = rows('demographic');
  assert.equal(demographic?.['_last_updated'], '2019-12-31 23:00:00.5');
  const [dosage] = rows('dosage');
  assert.deepEqual([dosage?.['_resource_type'], dosage?.['_resource_id']], ['MedicationStatement', 'm']);
  assert.deepEqual(rows('_resource'), [
    {
      resource_type: 'MedicationStatement',
      resource_id: 'm',
      patient_id: 'p',
      last_updated: null,
      deleted: false,
    },
    {
      resource_type: 'Patient',
      resource_id: 'p',
      patient_id: 'p',
      last_updated: '2019-12-31 23:00:00.5',
      deleted: false,
    },
  ]);
});
