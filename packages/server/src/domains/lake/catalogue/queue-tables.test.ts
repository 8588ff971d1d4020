/** Each table of a project has a job of its own that merges its files. */
import assert from 'node:assert/strict';
import { testOnRecords } from '../../../../../../test/support/records.ts';
import type { Records } from '../../../platform/records/records.ts';
import { queueTables } from './compaction.ts';

const lake = { project_id: 'project', account_id: 'account', version: 3, data_version: 1 };

async function setUp(records: Records): Promise<void> {
  await records.transact(async (tx) => {
    const project = { id: 'project', account_id: 'account', name: 'Project', name_key: 'project' };
    const rest = { created_at: 0, deletion_at: null, description: '' };
    await tx
      .insertInto('projects')
      .values({ ...project, ...rest })
      .execute();
    await tx.insertInto('lakes').values({ project_id: 'project', version: 3, data_version: 1 }).execute();
  });
}

/** Queues tables; returns those that got a job. */
async function queued(records: Records, wanted: string[], dataVersion = 1): Promise<string[]> {
  const tables = new Set<string>();
  const add = async (_: unknown, { payload }: { payload: Record<string, string> }): Promise<string> => {
    tables.add(payload['table'] ?? '');
    return `job of ${payload['table']}`;
  };
  // A transaction may run twice.
  await records.transact((tx) => queueTables(tx, { add }, { ...lake, data_version: dataVersion }, wanted));
  return [...tables];
}

const compacted = async (records: Records): Promise<number | undefined> =>
  (await records.read.selectFrom('lakes').select('compacted_version').executeTakeFirst())?.compacted_version;

const end = (records: Records, given_up_version: number | null): Promise<unknown> =>
  records.transact((tx) => tx.updateTable('lake_merges').set({ job_id: null, given_up_version }).execute());

testOnRecords('a table has one job, beside those of other tables', async ({ open }) => {
  const records = await open();
  await setUp(records);
  assert.deepEqual(await queued(records, ['variant', 'sequence']), ['variant', 'sequence']);
  assert.deepEqual(await queued(records, ['variant', 'observation']), ['observation']);
  assert.equal(await compacted(records), 0);
});

testOnRecords('a lake is left aside once no table is merged or wanted', async ({ open }) => {
  const records = await open();
  await setUp(records);
  await queued(records, ['variant']);
  await queued(records, []);
  assert.equal(await compacted(records), 0);
  await end(records, null);
  await queued(records, []);
  assert.equal(await compacted(records), 3);
});

testOnRecords(
  'a table whose merge was given up is merged after the next change of its data',
  async ({ open }) => {
    const records = await open();
    await setUp(records);
    await queued(records, ['variant']);
    await end(records, 1);
    assert.deepEqual(await queued(records, ['variant']), []);
    assert.equal(await compacted(records), 3);
    assert.deepEqual(await queued(records, ['variant'], 2), ['variant']);
  },
);
