import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { describeOnPostgres } from '../../../../../../test/support/app.ts';
import {
  sampleResources,
  sampleTime,
  smallResources,
} from '../../../../../../test/support/fhir/sample-resources.ts';
import type { FhirServerOptions } from '../../../../../../test/support/fhir/server.ts';
import { until } from '../../../../../../test/support/until.ts';
import { EhrProject, ehrSettings } from '../ehr-project.fixture.ts';

const taken = sampleResources();
const device = { resourceType: 'Device', id: 'd1', meta: { lastUpdated: '2020-01-01T00:00:00Z' } };

describeOnPostgres(
  'syncs',
  (app) => {
    const made: EhrProject[] = [];
    const make = async (name: string, options: FhirServerOptions, settings: object = {}) => {
      const one = await EhrProject.make(app.call, name, options, settings);
      made.push(one);
      return one;
    };
    after(() => Promise.all(made.map(({ server }) => server.stop())));

    test('all supported types become rows, page by page, patients first', async () => {
      const ehr = await make('Samples', { resources: [...taken, device], pageSizeMax: 10 });
      const sync = await ehr.pull();
      const counts: Record<string, number> = {};
      for (const { resourceType } of taken) counts[resourceType] = (counts[resourceType] ?? 0) + 1;
      assert.deepEqual(sync.counts, counts);
      assert.deepEqual([sync.method, sync.progress.resources, sync.warnings], ['SEARCH', taken.length, []]);
      const asked = ehr.server.seen.map(({ url }) => url.split('?')[0]);
      assert.deepEqual(asked.slice(0, 3), ['metadata', 'Patient', 'Patient']);
      assert.ok(!asked.includes('Device'), 'nothing is fetched that has no table');
      const rows = await ehr.rows(
        'select (select count(*) from patient), (select count(*) from condition), (select count(*) from specimen)',
      );
      assert.deepEqual(rows, [`${counts['Patient']},${counts['Condition']},${counts['Specimen']}`]);
    });

    test('the file of a sync holds every resource as written, named by system and time', async () => {
      const [patient] = smallResources(1, 0, 'exact');
      const exact = { ...patient, extension: [{ url: 'http://x.test/n', valueDecimal: 'NUMBER' }] };
      const ehr = await make('A/B ..', { resources: [exact as never] });
      ehr.server.fail(/GET Patient/, {
        status: 200,
        body: JSON.stringify(
          { link: [], entry: [{ resource: exact }], resourceType: 'Bundle', type: 'searchset' },
          null,
          2,
        ).replace('"NUMBER"', '1.0500'),
      });
      const sync = await ehr.pull();
      const file = await app.call('GET', `/v1/files/${sync.fileId}?include=metadata`);
      assert.equal(file.body.name, `ehr/A-B ../${sync.created.replaceAll(':', '-')}.ndjson.gz`);
      const response = await fetch(`${app.address}/v1/files/${sync.fileId}`, {
        headers: { authorization: app.key, 'service-account': app.account },
      });
      const text = gunzipSync(Buffer.from(await response.arrayBuffer())).toString();
      assert.equal(text, `${JSON.stringify(exact).replace('"NUMBER"', '1.0500')}\n`);
    });

    test('a second sync requests changes since the first with an overlap, and makes no file without any', async () => {
      const ehr = await make('Increments', { resources: smallResources(3, 2, 'increment') });
      const first = await ehr.pull();
      assert.equal(first.since, undefined);
      const second = await ehr.pull();
      assert.ok(Date.parse(second.since ?? '') <= Date.parse(first.started ?? '') - 60_000);
      assert.deepEqual([second.counts, second.fileId, second.ingestionId], [{}, undefined, undefined]);
      const [patient] = ehr.server.resources;
      assert.ok(patient);
      const changed = { ...patient, gender: 'male', meta: { lastUpdated: new Date().toISOString() } };
      ehr.server.resources = [changed, ...ehr.server.resources.slice(1)];
      const third = await ehr.pull();
      assert.deepEqual(third.counts, { Patient: 1 });
      const genders = await ehr.rows(
        'select gender, count(*) from demographic group by gender order by gender',
      );
      assert.deepEqual(genders, ['female,2', 'male,1']);
      const full = await ehr.pull({ full: true });
      assert.deepEqual([full.since, full.counts], [undefined, { Patient: 3, Observation: 6 }]);
    });

    test('after the file of a sync was deleted the next one fetches everything', async () => {
      const ehr = await make('Deleted', { resources: smallResources(2, 0, 'deleted') });
      const { fileId } = await ehr.pull();
      assert.equal((await app.call('DELETE', `/v1/files/${fileId}`)).status, 204);
      assert.deepEqual((await ehr.pull()).counts, { Patient: 2 });
      assert.deepEqual((await ehr.pull()).counts, {});
    });

    test('a system without search by time is fetched completely, and the sync warns of it', async () => {
      const ehr = await make('Timeless', { resources: smallResources(1, 1, 'timeless'), parameters: [] });
      await ehr.pull();
      const again = await ehr.pull();
      assert.deepEqual(again.counts, { Patient: 1, Observation: 1 });
      assert.match(again.warnings[0]?.message ?? '', /_lastUpdated.*Patient, Observation/);
      assert.deepEqual(await ehr.rows('select count(*) from patient'), ['1']);
    });

    for (const declared of [true, false])
      test(`types given for one patient only are searched patient by patient (${declared ? 'declared' : 'refused'})`, async () => {
        const byPatient = { types: ['Observation'], declared };
        const options = { resources: smallResources(7, 3, `walk-${declared}`), pageSizeMax: 2, byPatient };
        const ehr = await make(`Walk ${declared}`, options);
        assert.deepEqual((await ehr.pull()).counts, { Patient: 7, Observation: 21 });
        const [first] = ehr.server.resources;
        const changed = { ...first, id: `walk-${declared}-1-late`, resourceType: 'Observation' };
        ehr.server.resources.push({
          ...ehr.server.resources[1],
          ...{ id: changed.id, meta: { lastUpdated: new Date().toISOString() } },
        } as never);
        assert.deepEqual(
          (await ehr.pull()).counts,
          { Observation: 1 },
          'also of patients that did not change',
        );
      });

    test('429, 503, broken pages, and cut or dropped connections are retried, and no row is doubled', async () => {
      const ehr = await make('Faults', { resources: smallResources(12, 1, 'fault'), pageSizeMax: 4 });
      ehr.server.fail(/metadata/, { status: 503 }, 'drop');
      ehr.server.fail(
        /Patient\?.*_offset=4/,
        { status: 429, headers: { 'retry-after': '0' } },
        'cut',
        'drop',
      );
      ehr.server.fail(
        /Observation/,
        { status: 200, body: '<html>busy</html>' },
        { status: 200, body: '' },
        'cut',
      );
      const sync = await ehr.pull();
      assert.deepEqual(sync.counts, { Patient: 12, Observation: 12 });
      assert.deepEqual(await ehr.rows('select count(*) from observation'), ['12']);
      assert.equal(sync.progress.pages, 6);
    });

    test('a sync fails after the configured attempts with a reason and without a file', async () => {
      const ehr = await make('Hopeless', { resources: smallResources(1, 1, 'hopeless') });
      ehr.server.fail(/Observation/, ...Array.from({ length: 20 }, () => ({ status: 500 })));
      const sync = await ehr.end(await ehr.begin());
      assert.deepEqual([sync.state, sync.error?.code, sync.fileId], ['failed', 'OVERLOADED', undefined]);
      assert.match(sync.error?.message ?? '', /status 500/);
      assert.equal(ehr.server.seen.filter(({ url }) => url.startsWith('Observation')).length, 7);
      const pages = await app.people.records.read.selectFrom('ehr_sync_pages').selectAll().execute();
      assert.deepEqual(
        pages.filter(({ sync_id }) => sync_id === sync.id),
        [],
      );
    });

    test('a next link to another host, port or scheme is not followed', async () => {
      const other = await make('Other', { resources: [] });
      const ehr = await make('Elsewhere', { resources: smallResources(1, 0, 'elsewhere') });
      for (const url of [
        `${other.server.url}/Patient?page=2`,
        `${ehr.server.url.replace('http:', 'https:')}/Patient`,
      ]) {
        const link = [{ relation: 'next', url }];
        ehr.server.fail(/GET Patient/, {
          status: 200,
          body: JSON.stringify({ resourceType: 'Bundle', type: 'searchset', link }),
        });
        const sync = await ehr.end(await ehr.begin());
        assert.deepEqual([sync.state, sync.error?.code], ['failed', 'ELSEWHERE']);
      }
      assert.deepEqual(other.server.seen, []);
    });

    test('a page that names itself as the next one fails the sync', async () => {
      const ehr = await make('Endless', { resources: smallResources(1, 0, 'endless') });
      const link = [{ relation: 'next', url: 'Patient?_count=200' }];
      const body = JSON.stringify({ resourceType: 'Bundle', type: 'searchset', link });
      ehr.server.fail(/GET Patient/, { status: 200, body });
      assert.equal((await ehr.end(await ehr.begin())).error?.code, 'ENDLESS');
    });

    test('delayBetweenRecords delays the next request by the time of all records of a page', async () => {
      const delayBetweenRecords = 40;
      const options = { resources: smallResources(9, 0, 'slow'), pageSizeMax: 3 };
      const ehr = await make('Slow', options, { delayBetweenRecords });
      await ehr.pull();
      const times = ehr.server.answered(/GET Patient/).map(({ at }) => at);
      assert.equal(times.length, 3);
      const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
      // Timers may fire a millisecond early.
      assert.ok(
        gaps.every((gap) => gap >= 3 * delayBetweenRecords - 5),
        String(gaps),
      );
    });

    test('a project has one sync of a system at a time', async () => {
      const ehr = await make('Busy', { resources: smallResources(1, 0, 'busy') });
      ehr.server.fail(/metadata/, 'silence');
      const id = await ehr.begin();
      await until(() => ehr.server.seen.length > 0, 'the system was asked');
      const again = await ehr.ask('POST', '/sync', { body: { datasetId: ehr.project } });
      assert.deepEqual([again.status, again.body.code], [409, 'SYNC_RUNNING']);
      assert.equal((await ehr.ask('DELETE', `/syncs/${id}`)).status, 204);
      assert.equal((await ehr.ask('DELETE', `/syncs/${id}`)).status, 409);
      assert.equal((await ehr.sync(id)).state, 'cancelled');
      await ehr.pull();
      const list = (await ehr.ask('GET', '/syncs')).body.items;
      assert.deepEqual(
        list.map(({ state }: { state: string }) => state),
        ['succeeded', 'cancelled'],
      );
    });

    test('a cancelled sync leaves neither file nor rows nor pages', async () => {
      const ehr = await make('Cancelled', { resources: smallResources(9, 0, 'cancelled'), pageSizeMax: 3 });
      ehr.server.fail(/_offset=6/, 'silence');
      const id = await ehr.begin();
      await until(async () => (await ehr.sync(id)).progress.pages === 2, 'two pages are there');
      assert.equal((await ehr.ask('DELETE', `/syncs/${id}`)).status, 204);
      const { records } = app.people;
      const held = records.read.selectFrom('ehr_sync_pages').select('blob_key').where('sync_id', '=', id);
      await until(async () => (await held.execute()).length === 0, 'its pages are gone');
      const files = await app.call('GET', `/v1/files?datasetId=${ehr.project}`);
      assert.deepEqual(files.body.items, []);
    });

    test('SYNCHRONOUS responds when the rows are visible', async () => {
      const ehr = await make(
        'Waiting',
        { resources: smallResources(2, 1, 'waiting') },
        { ingestionModel: 'SYNCHRONOUS' },
      );
      const reply = await ehr.ask('POST', '/sync', { body: { datasetId: ehr.project } });
      assert.deepEqual([reply.status, reply.body.state], [200, 'succeeded']);
      // Two patients have three rows each, and so have two observations with their coding.
      assert.equal(reply.body.progress.rows, 12);
    });

    test('a request that waits for a sync of a deleted configuration is 404', async () => {
      const resources = smallResources(9, 0, 'awaited');
      const ehr = await make('Awaited', { resources, pageSizeMax: 3 }, { ingestionModel: 'SYNCHRONOUS' });
      ehr.server.fail(/_offset=6/, 'silence');
      const waiting = ehr.ask('POST', '/sync', { body: { datasetId: ehr.project } });
      const pages = async () => (await ehr.ask('GET', '/syncs')).body.items[0]?.progress.pages;
      await until(async () => (await pages()) === 2, 'two pages are there');
      assert.equal((await app.call('DELETE', `/v1/ehrs/${ehr.id}`)).status, 204);
      const { status, body } = await waiting;
      assert.deepEqual([status, body.code], [404, 'NOT_FOUND']);
    });

    test('deleting a configuration or project ends its syncs', async () => {
      const ehr = await make('Removed', { resources: smallResources(9, 0, 'removed'), pageSizeMax: 3 });
      const { read } = app.people.records;
      const begun = async () => {
        ehr.server.fail(/_offset=6/, 'silence');
        const id = await ehr.begin();
        await until(async () => (await ehr.sync(id)).progress.pages === 2, 'two pages are there');
        return id;
      };
      const jobOf = async (id: string) =>
        read.selectFrom('jobs').select('state').where('payload', 'like', `%${id}%`).executeTakeFirst();
      const first = await begun();
      assert.equal((await app.call('DELETE', `/v1/projects/${ehr.project}?force=true`)).status, 204);
      await until(async () => (await jobOf(first))?.state === 'cancelled', 'its job was cancelled');
      assert.equal((await ehr.ask('GET', `/syncs/${first}`)).status, 404);
      assert.deepEqual((await ehr.ask('GET', '/syncs')).body.items, []);

      const other = await make('Forgotten', { resources: smallResources(9, 0, 'forgotten'), pageSizeMax: 3 });
      other.server.fail(/_offset=6/, 'silence');
      const second = await other.begin();
      await until(async () => (await other.sync(second)).progress.pages === 2, 'two pages are there');
      assert.equal((await app.call('DELETE', `/v1/ehrs/${other.id}`)).status, 204);
      assert.equal((await jobOf(second))?.state, 'cancelled');
      assert.equal((await other.ask('GET', `/syncs/${second}`)).status, 404);
      const left = await read
        .selectFrom('ehr_sync_pages')
        .selectAll()
        .where('sync_id', '=', second)
        .execute();
      assert.deepEqual(left, []);
    });

    test('FHIR STU3 is accepted; DSTU2 and other servers are refused with a message', async () => {
      const older = await make('STU3', { resources: smallResources(1, 0, 'stu3'), fhirVersion: '3.0.2' });
      assert.deepEqual((await older.pull()).counts, { Patient: 1 });
      const oldest = await make('DSTU2', { resources: smallResources(1, 0, 'dstu2'), fhirVersion: '1.0.2' });
      assert.match((await oldest.end(await oldest.begin())).error?.message ?? '', /it speaks FHIR 1\.0\.2/);
      oldest.server.fail(/metadata/, { status: 200, body: '<html></html>' });
      assert.equal((await oldest.end(await oldest.begin())).error?.code, 'NOT_FHIR');
      oldest.server.fail(/metadata/, { status: 302, headers: { location: `${older.server.url}/metadata` } });
      assert.equal((await oldest.end(await oldest.begin())).error?.code, 'REDIRECTED');
      assert.equal(sampleTime.length, 24);
    });
  },
  ehrSettings,
);
