import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { migrations } from './migrations/index.ts';
import type { Transaction } from './records.ts';

testOnRecords('users of an earlier version are found by their names after the upgrade', async ({ open }) => {
  const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0003'));
  const before = await open({ migrations: earlier });
  const users = [
    { id: 'a', profile: '{"name":"Jané Doe","familyName":"Doe","givenName":"JANE\u0301"}' },
    { id: 'b', profile: '{}' },
  ];
  await before.transact(async (tx: Transaction) => {
    for (const { id, profile } of users) {
      const row = { id, email: `${id}@x.test`, type: 'person', profile, password_hash: null, created_at: 1 };
      await tx
        .insertInto('users')
        .values(row as never)
        .execute();
    }
  });
  await before.close();
  const after = await open();
  const rows = await after.read.selectFrom('users').select(['id', 'name_keys']).orderBy('id').execute();
  assert.deepEqual(rows, [
    { id: 'a', name_keys: '\njané doe\njané\ndoe' },
    { id: 'b', name_keys: '' },
  ]);
});

test('steps run in the order of their names', () => {
  assert.deepEqual(Object.keys(migrations), Object.keys(migrations).sort());
});
