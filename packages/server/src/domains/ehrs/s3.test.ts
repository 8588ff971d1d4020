/** Syncs with pages in an S3-compatible store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp } from '../../../../../test/support/app.ts';
import { smallResources } from '../../../../../test/support/fhir/sample-resources.ts';
import { startS3 } from '../../../../../test/support/s3/server.ts';
import { EhrProject, ehrSettings } from './ehr-project.fixture.ts';

test('a sync does not wait for the removal of joined pages that fails', async (context) => {
  const s3 = await startS3();
  context.after(() => s3.close());
  const app = await openTestApp({ ...s3.settings, ...ehrSettings });
  context.after(() => app.stop());
  const resources = smallResources(70, 0, 'page');
  const ehr = await EhrProject.make(app.call, 'Pages', { resources, pageSizeMax: 1 });
  context.after(() => ehr.server.stop());
  s3.fault = ({ method }) => (method === 'DELETE' ? { status: 403, code: 'AccessDenied' } : undefined);
  const sync = await ehr.pull();
  assert.deepEqual([sync.progress.pages, sync.counts], [70, { Patient: 70 }]);
  const job = await app.people.records.read
    .selectFrom('jobs')
    .select(['not_before', 'created_at'])
    .where('kind', '=', 'ehrs.runSync')
    .executeTakeFirstOrThrow();
  assert.ok(job.not_before <= job.created_at, 'it did not wait for another attempt');
  s3.fault = () => undefined;
});
