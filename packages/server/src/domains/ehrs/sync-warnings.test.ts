import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { describeOnSqlite } from '../../../../../test/support/app.ts';
import { smallResources } from '../../../../../test/support/fhir/sample-resources.ts';
import type { FhirServerOptions } from '../../../../../test/support/fhir/server.ts';
import { EhrProject, ehrSettings } from './ehr-project.fixture.ts';

const refused = (count: number) => Array.from({ length: count }, () => ({ status: 403 }));

describeOnSqlite(
  'what a sync leaves out',
  (app) => {
    const made: EhrProject[] = [];
    const make = async (name: string, options: FhirServerOptions) => {
      const one = await EhrProject.make(app.call, name, options);
      made.push(one);
      return one;
    };
    after(() => Promise.all(made.map(({ server }) => server.stop())));

    test('what the ingestion leaves out of what was pulled is a warning of the sync', async () => {
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

    test('what the system says is missing in its answers is a warning, without its words', async () => {
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
          message: 'The EHR system says of its answers about Observation that something is missing in them.',
        },
      ]);
    });

    test('a next page that is told by its query alone is one of the same search', async () => {
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
      test(`a type that it gives neither as a whole nor of a patient is left out with warnings, and the rest comes (${declared ? 'declared' : 'refused'})`, async () => {
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

    test('a patient whose records it keeps to itself costs nobody else anything, and no warning names him', async () => {
      const options = {
        resources: smallResources(7, 2, 'kept'),
        pageSizeMax: 2,
        byPatient: { types: ['Observation'], declared: true },
      };
      const ehr = await make('Kept', options);
      // Of more patients than would end the type if nobody's had been given.
      ehr.server.fail(/GET Observation\?.*patient=kept-[2-5]/, ...refused(4));
      const sync = await ehr.pull();
      assert.deepEqual(sync.counts, { Patient: 7, Observation: 6 });
      assert.equal(sync.warningCount, 4);
      assert.deepEqual(sync.warnings, [
        { message: 'Observation of one patient was left out: the EHR system refused it (status 403).' },
      ]);
    });

    test('a right that is withdrawn on the way ends the sync, so that the next one asks again', async () => {
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
