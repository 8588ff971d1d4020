import assert from 'node:assert/strict';
import { quickJobs } from '../../../../../test/support/jobs.ts';
import { silent, testOnRecords } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';
import { Audit } from '../audit/index.ts';
import { ProjectDeletion } from '../files/projects/index.ts';
import { AccountDeletion } from '../identity/accounts/index.ts';
import { Removals, runRemovals } from './index.ts';

testOnRecords('a removal that fails at every attempt pauses, and is queued again', async ({ open }) => {
  const records = await open();
  const jobs = quickJobs(records);
  const broken = async (): Promise<never> => {
    throw new Error('the disk is broken');
  };
  const removers = [{ of: 'project' as const, table: 'files' as const, remove: broken }];
  const deps = { records, audit: new Audit(records), jobs, blobs: undefined as never, removers };
  jobs.handle(runRemovals(deps));
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

/** Removals, of which the stuck ones always fail. */
const failing = {
  begin: async (_: unknown, { id }: { id: string }): Promise<void> => {
    if (id.startsWith('stuck')) throw new Error('the disk is broken');
  },
} as unknown as Removals;

testOnRecords('many removals that cannot begin do not block later ones', async ({ open }) => {
  const records = await open();
  const things = Array.from({ length: 250 }, (_, at) => ({ id: `stuck-${at}`, deletion_at: 1 + (at % 2) }));
  things.push({ id: 'later', deletion_at: 2 }, { id: 'last', deletion_at: 3 });
  const row = (id: string) => ({ id, name: id, created_at: 1 });
  await records.transact(async (tx) => {
    for (const { id, deletion_at } of things) {
      const account = {
        ...row(id),
        type: 'PAID',
        owner_id: 'nobody',
        assistants: 'off' as const,
        deletion_at,
      };
      await tx.insertInto('accounts').values(account).execute();
      const project = { ...row(id), account_id: id, name_key: id, description: '', deletion_at };
      await tx.insertInto('projects').values(project).execute();
    }
  });
  const deps = { records, audit: new Audit(records), removals: failing, log: silent };
  const left = async (table: 'projects' | 'accounts') => {
    const rows = await records.read.selectFrom(table).select('id').execute();
    return rows.filter(({ id }) => !id.startsWith('stuck')).length;
  };
  await new ProjectDeletion(deps, 0).removeDue();
  assert.equal(await left('projects'), 0);
  await new AccountDeletion({ ...deps, removeProjects: async () => 0 }, 0).removeDue();
  assert.equal(await left('accounts'), 0);
});
