import assert from 'node:assert/strict';
import { quickJobs } from '../../../../../test/support/jobs.ts';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';
import { Audit } from '../audit/index.ts';
import { Removals, runRemovals } from './index.ts';

testOnRecords('a removal that fails at every attempt rests, and is queued anew', async ({ open }) => {
  const records = await open();
  const jobs = quickJobs(records);
  const broken = async (): Promise<never> => {
    throw new Error('the disk is broken');
  };
  const removers = [{ of: 'project' as const, table: 'files' as const, remove: broken }];
  const parts = { records, audit: new Audit(records), jobs, blobs: undefined as never, removers };
  jobs.handle(runRemovals(parts));
  await records.transact((tx) =>
    new Removals(jobs).begin(tx, { kind: 'project', id: 'broken', account: 'a' }),
  );
  await jobs.start();
  const all = () => records.read.selectFrom('jobs').selectAll().orderBy('seq').execute();
  await until(async () => (await all()).length === 2, 'it is queued anew');
  await jobs.stop();
  const [first, second] = await all();
  assert.equal(first?.state, 'failed');
  assert.deepEqual([second?.state, second?.payload], ['queued', first?.payload]);
  assert.ok((second?.not_before ?? 0) > Date.now());
});
