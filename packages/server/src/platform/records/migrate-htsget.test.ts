import assert from 'node:assert/strict';
import { testOnNoRecords } from '../../../../../test/support/records.ts';
import { migrations } from './migrations/index.ts';

testOnNoRecords(
  'indexes of variants by an earlier rule are built anew after the upgrade',
  async ({ open }) => {
    const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0038'));
    const before = await open({ migrations: earlier });
    const row = {
      file_id: 'f',
      project_id: 'p',
      source_blob: 'b',
      status: 'ACTIVE',
      message: null,
      job_id: 'j',
    };
    const index = { index_blob: 'i', index_size: 1, index_sha256: 'x', created_at: 1 };
    await before.transact((tx) =>
      tx
        .insertInto('variant_indexes')
        .values({ ...row, ...index } as never)
        .execute(),
    );
    await before.close();
    const after = await open();
    assert.deepEqual(await after.read.selectFrom('variant_indexes').selectAll().execute(), []);
  },
);
