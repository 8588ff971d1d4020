import assert from 'node:assert/strict';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { ownedTables } from '../../../../../test/support/removals.ts';
import { keptTables, removersOf } from './removers.ts';

testOnRecords(
  'every table with rows of a project or account is emptied by a remover, or kept for a stated reason',
  async ({ open }) => {
    const removers = removersOf(undefined as never);
    const found = (await ownedTables(await open())).flatMap(({ table, columns }) => {
      const of = columns.includes('project_id') ? 'project' : 'account';
      const covered = removers.some((remover) => remover.table === table && remover.of === of);
      const kept = Object.hasOwn(keptTables, table);
      if (covered && kept) return [`${table} is both emptied and kept`];
      if (covered || kept) return [];
      return [
        `${table} has ${columns.join(' and ')}: give it a remover of the ${of}, or a reason (removers.ts)`,
      ];
    });
    assert.deepEqual(found, []);
  },
);

testOnRecords('every remover finds its table and its columns', async ({ open }) => {
  const records = await open();
  for (const { stop, remove } of removersOf(undefined as never)) {
    await records.transact(async (tx) => {
      assert.equal((await stop?.(tx, 'nobody', 10)) ?? 0, 0);
      assert.deepEqual(await remove(tx, 'nobody', 10), { rows: 0, blobs: [] });
    });
  }
});
