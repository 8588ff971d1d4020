import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ConversionFixture } from './conversion.fixture.ts';

let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

const lines = (...resources: object[]): string =>
  resources.map((resource) => `${JSON.stringify(resource)}\n`).join('');

test('a resource of any type is a row with its patient, version, day and text', async () => {
  const meta = { versionId: '7', lastUpdated: '2024-03-01T23:30:00-02:00' };
  const coverage = { resourceType: 'Coverage', id: 'c', meta, beneficiary: { reference: 'Patient/p' } };
  const organization = { resourceType: 'Organization', id: 'o', name: 'Clinic' };
  const { rows, warnings } = await fixture.convert(lines(coverage, organization));
  assert.deepEqual(warnings, []);
  const found = rows('resource').map(({ _resource_type, _resource_id, _last_updated, ...row }) => row);
  const none = { source: null, version: null, last_updated: null };
  assert.deepEqual(found, [
    {
      ...{ patient_id: 'p', id: 'c', resource_type: 'Coverage', source: null, version: '7' },
      ...{ last_updated: '2024-03-02', data: JSON.stringify(coverage) },
    },
    {
      ...{ patient_id: null, id: 'o', resource_type: 'Organization', ...none },
      data: JSON.stringify(organization),
    },
  ]);
});

test('resource names the server of a full URL', async () => {
  const resource = { resourceType: 'Location', id: 'l' };
  const entry = [{ fullUrl: 'https://one.example/fhir/Location/l', resource }];
  const { rows } = await fixture.convert(
    JSON.stringify({ resourceType: 'Bundle', type: 'searchset', entry }),
  );
  assert.deepEqual(
    rows('resource').map(({ id, source }) => [id, source]),
    [['l', 'https://one.example/fhir']],
  );
});

test('the table resource has the newest version of a resource, and omits a deleted one', async () => {
  const version = (id: string, day: string) => ({
    resource: { resourceType: 'Location', id, meta: { lastUpdated: `${day}T00:00:00Z` } },
  });
  const entry = [
    version('kept', '2024-01-02'),
    version('kept', '2024-01-01'),
    version('gone', '2024-01-01'),
    { request: { method: 'DELETE', url: 'Location/gone' } },
  ];
  const { rows } = await fixture.convert(JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry }));
  assert.deepEqual(
    rows('resource').map(({ id, last_updated }) => [id, last_updated]),
    [['kept', '2024-01-02']],
  );
});

test('resources without an id are counted in a warning', async () => {
  const { rows, warnings } = await fixture.convert(
    lines({ resourceType: 'Parameters' }, { resourceType: 'Parameters' }, { resourceType: 'Basic', id: 'b' }),
  );
  assert.equal(rows('resource').length, 1);
  assert.deepEqual(warnings, [{ message: 'Parameters: 2 resources without an id were left out' }]);
});
