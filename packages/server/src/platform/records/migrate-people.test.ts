import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testOnNoRecords } from '../../../../../test/support/records.ts';
import { isUniqueViolation } from './errors.ts';
import { migrations } from './migrations/index.ts';
import type { Transaction } from './records.ts';

testOnNoRecords(
  'users of an earlier version are found by their names after the upgrade',
  async ({ open }) => {
    const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0003'));
    const before = await open({ migrations: earlier });
    const users = [
      { id: 'a', profile: '{"name":"Jané Doe","familyName":"Doe","givenName":"JANE\u0301"}' },
      { id: 'b', profile: '{}' },
    ];
    await before.transact(async (tx: Transaction) => {
      for (const { id, profile } of users) {
        const row = {
          id,
          email: `${id}@x.test`,
          type: 'person',
          profile,
          password_hash: null,
          created_at: 1,
        };
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
  },
);

test('steps run in the order of their names', () => {
  assert.deepEqual(Object.keys(migrations), Object.keys(migrations).sort());
});

testOnNoRecords(
  'addresses that were only claimed are free for others after the upgrade, and all others stay whose they are',
  async ({ open }) => {
    const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0031'));
    const before = await open({ migrations: earlier });
    const person = { type: 'person', profile: '{"name":"Jane"}', name_keys: '\njane', created_at: 1 };
    const rows = [
      { id: 'own', password_hash: null, email_verified_at: null, email_claimed_by: null },
      { id: 'claimed', password_hash: null, email_verified_at: null, email_claimed_by: 'cats' },
      { id: 'proven', password_hash: null, email_verified_at: 5, email_claimed_by: 'cats' },
      { id: 'password', password_hash: 'hash', email_verified_at: null, email_claimed_by: 'cats' },
    ].map((row) => ({ ...person, ...row, email: `${row.id}@x.test` }));
    await before.transact((tx) => tx.insertInto('users').values(rows).execute());
    await before.close();
    const after = await open();
    const kept = await after.read.selectFrom('users').selectAll().orderBy('id').execute();
    const settled = rows.map((row) => (row.id === 'claimed' ? row : { ...row, email_claimed_by: null }));
    assert.deepEqual(
      kept,
      settled.sort((one, other) => (one.id < other.id ? -1 : 1)),
    );
    const add = (id: string, of: string, email_claimed_by: string | null) =>
      after.transact((tx) =>
        tx
          .insertInto('users')
          .values({ ...rows[0], id, email: `${of}@x.test`, email_claimed_by } as never)
          .execute(),
      );
    await add('new-owner', 'claimed', null);
    await add('hospital', 'claimed', 'hospital');
    await add('for-cats', 'own', 'cats');
    for (const [of, by] of [
      ['own', null],
      ['proven', null],
      ['claimed', 'cats'],
    ] as const)
      await assert.rejects(add('another', of, by), (error) => isUniqueViolation(error, 'users'));
  },
);
