/** Ids of FHIR resources are unique on one server only: resources of different sources are never merged. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestProject, type Work } from '../../../../../test/inputs/project.ts';
import { describeOnPostgres } from '../../../../../test/support/app.ts';

const patient = (id: string, gender: string): object => ({ resourceType: 'Patient', id, gender });
const observation = (id: string, subject: string, value: number): object => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { coding: [{ code: '718-7' }] },
  subject: { reference: `Patient/${subject}` },
  valueQuantity: { value },
});
const ndjson = (...resources: object[]): string =>
  resources.map((one) => `${JSON.stringify(one)}\n`).join('');
const bundle = (...entries: [base: string, resource: object][]): string =>
  JSON.stringify({
    resourceType: 'Bundle',
    type: 'collection',
    entry: entries.map(([base, resource]) => {
      const { resourceType, id } = resource as { resourceType: string; id: string };
      return { fullUrl: `${base}/${resourceType}/${id}`, resource };
    }),
  });

describeOnPostgres('sources of FHIR resources', (app) => {
  let made = 0;
  const project = (): Promise<TestProject> => TestProject.make(app.call, `Sources ${++made}`);
  const ingest = async (to: TestProject, name: string, text: string, options: object = {}): Promise<Work> =>
    to.endOfIngestion(await to.startIngestion(await to.upload(name, text), options));
  const people = 'SELECT patient_id, gender FROM demographic ORDER BY 1';
  const values = 'SELECT patient_id, id, value_quantity FROM observation ORDER BY 1, 2';

  test('an id of another source is refused with both names and a remedy, in either order', async () => {
    const pairs: [string, string][] = [
      ['', 'https://b.example/fhir'],
      ['https://a.example/fhir', ''],
      ['site A', 'site B'],
    ];
    for (const [first, second] of pairs) {
      const to = await project();
      await ingest(to, 'first.ndjson', ndjson(patient('1', 'male')), first === '' ? {} : { source: first });
      const { state, error } = await ingest(to, 'second.ndjson', ndjson(patient('1', 'female')), {
        source: second,
      });
      assert.equal(state, 'failed');
      for (const name of [first, second])
        assert.ok(error?.message.includes(name || 'no named source'), String(error?.message));
      assert.match(error?.message ?? '', /^1 ids .*idPrefix/);
      assert.deepEqual(await to.ask(people), ['1,male']);
    }
  });

  test('a reference to a patient of another source is refused as well', async () => {
    const to = await project();
    await ingest(to, 'first.ndjson', ndjson(patient('1', 'male')), { source: 'A' });
    const { state } = await ingest(to, 'second.ndjson', ndjson(observation('9', '1', 5)), { source: 'B' });
    assert.equal(state, 'failed');
  });

  test('a prefix separates the ids of a source, in references too', async () => {
    const to = await project();
    await ingest(to, 'first.ndjson', ndjson(patient('1', 'male'), observation('7', '1', 1)));
    const options = { source: 'B', idPrefix: 'b-' };
    const { state } = await ingest(
      to,
      'b.ndjson',
      ndjson(patient('1', 'female'), observation('7', '1', 100)),
      options,
    );
    assert.equal(state, 'succeeded');
    const later = await ingest(
      to,
      'b2.json',
      bundle(['https://b.example', observation('8', '1', 101)]),
      options,
    );
    assert.equal(later.state, 'succeeded');
    assert.deepEqual(await to.ask(people), ['1,male', 'b-1,female']);
    assert.deepEqual(await to.ask(values), ['1,7,1.0', 'b-1,b-7,100.0', 'b-1,b-8,101.0']);
  });

  test('later files of one source are later versions, and the base of full URLs is a source', async () => {
    const to = await project();
    const base = 'https://a.example/fhir';
    await ingest(to, 'first.json', bundle([base, patient('1', 'male')]));
    assert.equal((await ingest(to, 'second.ndjson', ndjson(patient('1', 'other')))).state, 'failed');
    const { state } = await ingest(to, 'third.ndjson', ndjson(patient('1', 'female')), { source: base });
    assert.equal(state, 'succeeded');
    assert.deepEqual(await to.ask(people), ['1,female']);
  });

  test('a file with resources of two servers is refused, unless the request names its source', async () => {
    const to = await project();
    const text = bundle(
      ['https://a.example', patient('1', 'male')],
      ['https://b.example', patient('2', 'female')],
    );
    const refused = await ingest(to, 'both.json', text);
    assert.match(
      refused.error?.message ?? '',
      /several servers \(https:\/\/a\.example, https:\/\/b\.example\)/,
    );
    assert.equal((await ingest(to, 'both.json', text, { source: 'exchange' })).state, 'succeeded');
  });

  test('a file that is ingested again may have another source', async () => {
    const to = await project();
    await ingest(to, 'first.ndjson', ndjson(patient('1', 'male')), { source: 'A' });
    const { state } = await ingest(to, 'first.ndjson', ndjson(patient('1', 'female')), { source: 'B' });
    assert.equal(state, 'succeeded');
    assert.deepEqual(await to.ask(people), ['1,female']);
  });

  test('a file is not moved into a project with equal ids of another source', async () => {
    const [from, to, empty] = [await project(), await project(), await project()];
    await ingest(from, 'moved.ndjson', ndjson(patient('1', 'female')), { source: 'B' });
    await ingest(to, 'first.ndjson', ndjson(patient('1', 'male')));
    const [file] = (await app.call('GET', `/v1/projects/${from.id}/files?pageSize=10`)).body.items;
    const move = (target: TestProject) =>
      app.call('PATCH', `/v1/files/${file.id}`, { body: { datasetId: target.id } });
    const refused = await move(to);
    assert.deepEqual([refused.status, refused.body.code], [409, 'SOURCE_CONFLICT']);
    assert.deepEqual(await to.ask(people), ['1,male']);
    assert.deepEqual(await from.ask(people), ['1,female']);
    assert.equal((await move(empty)).status, 200);
    // The source moves with the file.
    const { state } = await ingest(empty, 'other.ndjson', ndjson(patient('1', 'male')));
    assert.equal(state, 'failed');
  });
});
