import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';
import { smallResources } from '../../../../../test/support/fhir/sample-resources.ts';
import type { Fault } from '../../../../../test/support/fhir/server.ts';
import { EhrProject, ehrSettings } from './ehr-project.fixture.ts';

const resources = smallResources(100, 0, 'bytes');
/**
 * More than one and a half pages, less than three: a page is two and a half times as long as its resources.
 */
const bytesMax = 5 * JSON.stringify(resources).length;

describeApp(
  'limits of the bytes of a sync',
  (app) => {
    const made: EhrProject[] = [];
    after(() => Promise.all(made.map(({ server }) => server.stop())));

    const pull = async (cuts: number) => {
      const ehr = await EhrProject.make(app.call, `Cut off ${cuts} times`, { resources });
      made.push(ehr);
      ehr.server.fail(/GET Patient/, ...Array.from({ length: cuts }, (): Fault => 'cut'));
      return ehr.end(await ehr.begin());
    };

    test('a page that is interrupted now and then is fetched again', async () => {
      assert.equal((await pull(1)).state, 'succeeded');
    });

    test('an oversized CapabilityStatement is refused with a message', async () => {
      const ehr = await EhrProject.make(app.call, 'Talkative', { resources });
      made.push(ehr);
      ehr.server.fail(/metadata/, { status: 200, body: `"${'x'.repeat(8 * 1024 * 1024)}"` });
      const { error } = await ehr.end(await ehr.begin());
      assert.equal(error?.code, 'NOT_FHIR');
      assert.match(error?.message ?? '', /larger than 8 MiB/);
    });

    test('interrupted transfers count', async () => {
      const { state, error } = await pull(6);
      assert.deepEqual([state, error?.code], ['failed', 'TOO_MUCH']);
      assert.match(error?.message ?? '', /PLOIDY_EHR_SYNC_BYTES_MAX/);
    });
  },
  { ...ehrSettings, PLOIDY_EHR_SYNC_BYTES_MAX: String(bytesMax) },
);
