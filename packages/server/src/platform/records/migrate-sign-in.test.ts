import assert from 'node:assert/strict';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { migrations } from './migrations/index.ts';

testOnRecords(
  'what earlier versions gave by SAML ends after the upgrade, and what a password gave does not',
  async ({ open }) => {
    const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0032'));
    const before = await open({ migrations: earlier });
    const grant = {
      user_id: 'u',
      flow: 'code',
      scope: '',
      authenticated_at: 1,
      refresh_number: 1,
      created_at: 1,
    };
    const rows = [
      { ...grant, id: 'a', client_id: 'c', methods: '["saml"]', expires_at: 5 },
      { ...grant, id: 'b', client_id: 'c', methods: '["pwd","otp"]', expires_at: 6 },
    ];
    await before.transact((tx) =>
      tx
        .insertInto('grants')
        .values(rows as never)
        .execute(),
    );
    await before.close();
    const after = await open();
    const kept = await after.read
      .selectFrom('grants')
      .select(['id', 'provided_by', 'ends_at', 'expires_at'])
      .orderBy('id')
      .execute();
    assert.deepEqual(kept, [
      { id: 'a', provided_by: 'c', ends_at: 5, expires_at: 5 },
      { id: 'b', provided_by: null, ends_at: null, expires_at: 6 },
    ]);
  },
);
