import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ConversionFixture } from './conversion.fixture.ts';

const elsewhere = 'its "id" differs from the id in its URL (PUT); its "id" was used';

let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

test('an entry that puts a resource without an id is the resource that its URL names', async () => {
  const put = (url: string, id?: string, fullUrl?: string) => ({
    ...(fullUrl && { fullUrl }),
    resource: { resourceType: 'Patient', ...(id && { id }), gender: 'female' },
    request: { method: 'PUT', url },
  });
  const urn = (last: number) => `urn:uuid:00000000-0000-4000-8000-00000000000${last}`;
  const entry = [
    put('Patient/named', undefined, urn(1)),
    put('http://x.org/fhir/Patient/absolute'),
    put('/Patient/slash'),
    put('Patient/other', 'own', urn(2)),
    put('Patient?identifier=x', undefined, urn(3)),
    put('Observation/wrong', undefined, urn(4)),
    {
      resource: { resourceType: 'Observation', id: 'o', subject: { reference: urn(1) } },
      request: { method: 'PUT', url: 'Observation/o' },
    },
  ];
  const transaction = { resourceType: 'Bundle', type: 'transaction', entry };
  for (const source of [
    transaction,
    { resourceType: 'Bundle', type: 'batch', entry: [{ resource: transaction }] },
  ]) {
    const { rows, warnings } = await fixture.convert(JSON.stringify(source));
    const ids = rows('patient').map((row) => row['patient_id']);
    assert.deepEqual(ids.sort(), [urn(3).slice(9), urn(4).slice(9), 'absolute', 'named', 'own', 'slash']);
    assert.deepEqual(
      rows('observation').map((row) => row['patient_id']),
      ['named'],
    );
    assert.deepEqual(
      warnings.map(({ message }) => message),
      [`entry 4: ${elsewhere}`],
    );
  }
});

test('a resource that is put under another id than its own is taken by its own, with a warning', async () => {
  const entry = (url: string, method = 'PUT') => ({
    resource: { resourceType: 'Patient', id: 'own', gender: 'male' },
    request: { method, url },
  });
  for (const [url, method, warned] of [
    ['Patient/other', 'PUT', true],
    ['/Patient/other', 'put', true],
    ['Patient/own', 'PUT', false],
    ['Patient?identifier=x', 'PUT', false],
    ['Observation/other', 'PUT', false],
    ['Patient/other', 'POST', false],
  ] as const) {
    const { rows, warnings } = await fixture.convertResources({
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [entry(url, method)],
    });
    assert.deepEqual(
      rows('patient').map((row) => row['patient_id']),
      ['own'],
    );
    assert.deepEqual(
      warnings.map((warning) => warning.message),
      warned ? [`entry 1: ${elsewhere}`] : [],
      url,
    );
  }
});
