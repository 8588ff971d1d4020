import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { describeOnSqlite } from '../../../../../../test/support/app.ts';
import { smallResources } from '../../../../../../test/support/fhir/sample-resources.ts';
import type { FhirServerOptions } from '../../../../../../test/support/fhir/server.ts';
import { EhrProject, ehrSettings } from '../ehr-project.fixture.ts';

const refused = (count: number) => Array.from({ length: count }, () => ({ status: 403 }));

describeOnSqlite(
  'warnings of syncs',
  (app) => {
    const made: EhrProject[] = [];
    const make = async (name: string, options: FhirServerOptions) => {
      const one = await EhrProject.make(app.call, name, options);
      made.push(one);
      return one;
    };
    after(() => Promise.all(made.map(({ server }) => server.stop())));

    test('resources skipped by the ingestion are warnings of the sync', async () => {
      const resources = smallResources(3, 1, 'left').map((one) =>
        one.id === 'left-2' ? { ...one, id: 'not an id' } : one,
      );
      const ehr = await make('Left out', { resources });
      const sync = await ehr.pull();
      assert.equal(sync.warningCount, 1);
      assert.match(
        sync.warnings[0]?.message ?? '',
        /^Line \d of its file: left out: the "id" of the Patient/,
      );
      const { items } = (await ehr.ask('GET', '/syncs')).body;
      assert.equal(items[0].warningCount, 1);
      assert.deepEqual(await ehr.rows('select count(*) from patient'), ['2']);
    });

    test('missing data reported by the system are a warning without its text', async () => {
      const ehr = await make('Suppressed', { resources: smallResources(2, 1, 'suppressed') });
      const issue = [
        { severity: 'warning', code: 'suppressed', diagnostics: '10 results of Jane not shown' },
      ];
      const resource = { resourceType: 'OperationOutcome', issue };
      const entry = [{ resource, search: { mode: 'outcome' } }];
      const body = JSON.stringify({ resourceType: 'Bundle', type: 'searchset', entry });
      ehr.server.fail(/GET Observation\?/, { status: 200, body });
      const { counts, warnings } = await ehr.pull();
      assert.deepEqual(counts, { Patient: 2 });
      assert.deepEqual(warnings, [
        {
          message: 'The EHR system reports missing data in its responses about Observation.',
        },
      ]);
    });

    test('a search that announces more than its only page has is a warning', async () => {
      const ehr = await make('Total', { resources: smallResources(1, 1, 'total') });
      const entry = [{ resource: { resourceType: 'Observation', id: 'o1' } }];
      const body = JSON.stringify({ resourceType: 'Bundle', type: 'searchset', total: 7, entry });
      ehr.server.fail(/GET Observation\?/, { status: 200, body });
      assert.deepEqual((await ehr.pull()).warnings, [
        {
          message:
            'The EHR system announced more of Observation than it returned: its first page has no next one.',
        },
      ]);
    });

    test('a search that the system forgot between two pages begins again, and no row is doubled', async () => {
      const ehr = await make('Forgotten', { resources: smallResources(5, 1, 'forgotten'), pageSizeMax: 2 });
      ehr.server.fail(/GET Patient\?.*_offset=4/, { status: 410 });
      const { state, warnings } = await ehr.pull();
      assert.equal(state, 'succeeded');
      assert.match(warnings[0]?.message ?? '', /forgot a search for \w+ between two pages \(status 410\)/);
      assert.deepEqual(await ehr.rows('select count(*), count(distinct patient_id) from patient'), ['5,5']);
    });

    test('a next page given by its query alone belongs to the same search', async () => {
      const ehr = await make('Query', { resources: smallResources(1, 0, 'query') });
      const page = (id: string, ...link: object[]) => ({
        status: 200,
        body: JSON.stringify({
          resourceType: 'Bundle',
          entry: [{ resource: { resourceType: 'Patient', id } }],
          link,
        }),
      });
      const next = { relation: 'next', url: '?page=2' };
      ehr.server.fail(/GET Patient\?/, page('first', next), page('second'));
      assert.deepEqual((await ehr.pull()).counts, { Patient: 2 });
      assert.ok(ehr.server.seen.some(({ url }) => url === 'Patient?page=2'));
    });

    for (const declared of [true, false])
      test(`a type given neither as a whole nor by patient is skipped with warnings, and the rest is fetched (${declared ? 'declared' : 'refused'})`, async () => {
        const options = {
          resources: smallResources(7, 2, `closed-${declared}`),
          pageSizeMax: 2,
          byPatient: { types: ['Observation'], declared },
        };
        const ehr = await make(`Closed ${declared}`, options);
        ehr.server.fail(/GET Observation\?.*patient=/, ...refused(20));
        const sync = await ehr.pull();
        assert.deepEqual(sync.counts, { Patient: 7 });
        assert.deepEqual(
          sync.warnings.map(({ message }) => message),
          [
            'Observation of one patient was left out: the EHR system refused it (status 403).',
            'Observation of all other patients was left out: the EHR system refused it (status 403).',
          ],
        );
        assert.equal(sync.warningCount, 3);
        const asked = ehr.server.seen.filter(({ url }) => /Observation\?.*patient=/.test(url));
        assert.equal(asked.length, 3, 'the other patients are not asked for');
      });

    test('a patient with closed records affects no other patient and is not named in warnings', async () => {
      const options = {
        resources: smallResources(7, 2, 'kept'),
        pageSizeMax: 2,
        byPatient: { types: ['Observation'], declared: true },
      };
      const ehr = await make('Kept', options);
      // More patients than would end a type without any result.
      ehr.server.fail(/GET Observation\?.*patient=kept-[2-5]/, ...refused(4));
      const sync = await ehr.pull();
      assert.deepEqual(sync.counts, { Patient: 7, Observation: 6 });
      assert.equal(sync.warningCount, 4);
      assert.deepEqual(sync.warnings, [
        { message: 'Observation of one patient was left out: the EHR system refused it (status 403).' },
      ]);
    });

    test('a right withdrawn during a sync fails it, so that the next one fetches again', async () => {
      const options = {
        resources: smallResources(30, 1, 'withdrawn'),
        byPatient: { types: ['Observation'], declared: true },
      };
      const ehr = await make('Withdrawn', options);
      ehr.server.fail(/GET Observation\?.*patient=withdrawn-(?!1&)/, ...refused(100));
      const sync = await ehr.end(await ehr.begin());
      assert.deepEqual([sync.state, sync.fileId], ['failed', undefined]);
      assert.match(sync.error?.message ?? '', /status 403/);
    });
  },
  ehrSettings,
);
