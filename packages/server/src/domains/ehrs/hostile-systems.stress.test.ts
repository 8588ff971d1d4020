import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { describeOnPostgres } from '../../../../../test/support/app.ts';
import { smallResources } from '../../../../../test/support/fhir/sample-resources.ts';
import type { FhirServerOptions } from '../../../../../test/support/fhir/server.ts';
import { until } from '../../../../../test/support/until.ts';
import { EhrProject, ehrSettings } from './ehr-project.fixture.ts';

describeOnPostgres(
  'hostile systems',
  (app) => {
    const made: EhrProject[] = [];
    const make = async (name: string, options: Partial<FhirServerOptions> = {}) => {
      const one = await EhrProject.make(app.call, name, {
        resources: smallResources(2, 1, name),
        ...options,
      });
      made.push(one);
      return one;
    };
    after(() => Promise.all(made.map(({ server }) => server.stop())));
    const bundle = (more: object) => JSON.stringify({ resourceType: 'Bundle', type: 'searchset', ...more });

    test('a page with more patients than the limit fails the sync with a message', async () => {
      const byPatient = { types: ['Observation'], declared: true };
      const ehr = await make('crowd', { byPatient });
      const entry = Array.from({ length: 100_001 }, (_, id) => ({
        resource: { resourceType: 'Patient', id: `p${id}` },
      }));
      ehr.server.fail(/GET Patient\?_elements=id/, { status: 200, body: bundle({ entry }) });
      const { state, error } = await ehr.end(await ehr.begin());
      assert.deepEqual([state, error?.code], ['failed', 'PAGE_TOO_LARGE']);
      assert.match(error?.message ?? '', /more than 100000 patients in one page/);
    });

    test('an address longer than servers accept is not followed', async () => {
      const ehr = await make('far');
      const link = [{ relation: 'next', url: `Patient?page=${'x'.repeat(40_000)}` }];
      ehr.server.fail(/GET Patient\?/, { status: 200, body: bundle({ link }) });
      const { state, error } = await ehr.end(await ehr.begin());
      assert.deepEqual([state, error?.code], ['failed', 'UNUSABLE']);
    });

    test('the stored position of an export holds only the number of fetched files', async () => {
      const ehr = await make('listed', { export: 'system' });
      const output = Array.from({ length: 20_000 }, (_, at) => ({
        type: 'Patient',
        url: `exports/export-1/${at}`,
      }));
      ehr.server.fail(/GET exports\/export-1$/, { status: 200, body: JSON.stringify({ output }) });
      ehr.server.fail(/GET exports\/export-1\/2$/, 'silence');
      const id = await ehr.begin();
      await until(
        () => ehr.server.seen.some(({ url }) => url === 'exports/export-1/2'),
        'the third is asked for',
      );
      const { position } = await app.people.records.read
        .selectFrom('ehr_syncs')
        .select('position')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      assert.equal(JSON.parse(position ?? '').taken.files, 2);
      assert.ok((position ?? '').length < 1000);
      assert.equal((await ehr.ask('DELETE', `/syncs/${id}`)).status, 204);
    });

    test('systems of one account that never answer do not block those of another', async () => {
      const silent = await Promise.all(
        Array.from({ length: 5 }, async (_, at) => {
          const ehr = await make(`silent-${at}`);
          ehr.server.fail(/GET metadata/, 'silence');
          return { ehr, id: await ehr.begin() };
        }),
      );
      await until(() => silent.filter(({ ehr }) => ehr.server.seen.length > 0).length === 5, 'all are asked');
      const { key, account } = await app.people.owner('ehrs-elsewhere');
      const call: typeof app.call = (method, path, options) =>
        app.call(method, path, { key, account, ...options });
      const resources = smallResources(1, 0, 'elsewhere');
      const other = await EhrProject.make(call, 'Elsewhere', { resources });
      made.push(other);
      assert.deepEqual((await other.pull()).counts, { Patient: 1 });
      const states = await Promise.all(silent.map(async ({ ehr, id }) => (await ehr.sync(id)).state));
      assert.deepEqual([...new Set(states)], ['running']);
      for (const { ehr, id } of silent) await ehr.ask('DELETE', `/syncs/${id}`);
    });

    test('a type listed twice is fetched once', async () => {
      const ehr = await make('twice');
      const listed = (type: string) => ({ type, searchParam: [{ name: '_lastUpdated' }] });
      const resource = [listed('Observation'), listed('Patient'), listed('Observation'), listed('Patient')];
      const statement = { resourceType: 'CapabilityStatement', fhirVersion: '4.0.1', rest: [{ resource }] };
      ehr.server.fail(/GET metadata/, { status: 200, body: JSON.stringify(statement) });
      assert.deepEqual((await ehr.pull()).counts, { Patient: 2, Observation: 2 });
    });
  },
  ehrSettings,
);
