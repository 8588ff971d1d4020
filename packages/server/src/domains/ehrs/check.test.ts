import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';
import { smallResources } from '../../../../../test/support/fhir/sample-resources.ts';
import type { FhirServerOptions } from '../../../../../test/support/fhir/server.ts';
import { EhrProject, ehrSettings } from './ehr-project.fixture.ts';

describeApp(
  'the test of a connection to an EHR system',
  (app) => {
    const made: EhrProject[] = [];
    const make = async (name: string, options: Partial<FhirServerOptions>, settings = {}) => {
      const resources = smallResources(3, 1, name.toLowerCase());
      const one = await EhrProject.make(app.call, name, { resources, ...options }, settings);
      made.push(one);
      return one;
    };
    after(() => Promise.all(made.map(({ server }) => server.stop())));

    test('reports each step of a system that works, and keeps nothing', async () => {
      const ehr = await make('Works', { authorization: 'key' }, { apiKey: 'key' });
      const { status, body, text } = await ehr.ask('POST', '/check');
      assert.equal(status, 200, text);
      assert.equal(body.works, true, text);
      assert.deepEqual(
        body.checks.map(({ name, works }: { name: string; works: boolean }) => [name, works]),
        [
          ['capabilities', true],
          ['patients', true],
        ],
      );
      assert.equal((await ehr.ask('GET', '/syncs')).body.items.length, 0);
      const { body: log } = await app.call('GET', '/v1/audit-events?action=ehrs.check');
      assert.equal(log.items.length, 1);
    });

    test('names the remedy for a refused key after one attempt, and never the key', async () => {
      const ehr = await make('Refuses', { authorization: 'right' }, { apiKey: 'very-wrong-key' });
      const { body, text } = await ehr.ask('POST', '/check');
      const failed = body.checks.at(-1);
      assert.deepEqual([body.works, failed.works, failed.code], [false, false, 'UNAUTHORIZED']);
      assert.match(failed.remedy, /apiKey/);
      assert.ok(!text.includes('very-wrong-key'));
      assert.equal(ehr.server.seen.filter(({ status }) => status === 401).length, 1);
    });

    test('names the remedy for a system that is away', async () => {
      const ehr = await make('Away', {});
      await ehr.server.stop();
      const { body } = await ehr.ask('POST', '/check');
      assert.deepEqual([body.works, body.checks.length, body.checks[0].code], [false, 1, 'UNREACHABLE']);
      assert.match(body.checks[0].remedy, /apiBaseUrl/);
    });

    test('the test of a connection needs accountAdmin', async () => {
      const ehr = await make('Guarded', {});
      const { key } = await app.people.member(app.account, ['readData', 'projectAdmin']);
      const before = ehr.server.seen.length;
      assert.equal((await ehr.ask('POST', '/check', { key })).status, 403);
      assert.equal(ehr.server.seen.length, before);
    });
  },
  ehrSettings,
);
