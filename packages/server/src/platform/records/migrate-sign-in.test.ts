import assert from 'node:assert/strict';
import { testOnNoRecords } from '../../../../../test/support/records.ts';
import { migrations } from './migrations/index.ts';

testOnNoRecords(
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
    const times = { created_at: 1, authenticated_at: 1, seen_at: 1, expires_at: 9e12 };
    const session = { user_id: 'u', only_account: null, user_agent: '', address: '', ...times };
    const sessions = [
      { ...session, id: 'a', token_hash: 'a', methods: '["saml"]', only_account: 'cats', ended_at: null },
      { ...session, id: 'b', token_hash: 'b', methods: '["pwd"]', ended_at: null },
      { ...session, id: 'c', token_hash: 'c', methods: '["saml"]', only_account: 'cats', ended_at: 7 },
    ];
    await before.transact(async (tx) => {
      await tx
        .insertInto('grants')
        .values(rows as never)
        .execute();
      await tx
        .insertInto('sessions')
        .values(sessions as never)
        .execute();
    });
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
    const ended = await after.read.selectFrom('sessions').select(['id', 'ended_at']).orderBy('id').execute();
    assert.deepEqual(
      ended.map(({ id, ended_at }) => [id, ended_at !== null]),
      [
        ['a', true],
        ['b', false],
        ['c', true],
      ],
    );
    assert.equal(ended[2]?.ended_at, 7);
  },
);

testOnNoRecords(
  'keys of people whom only a provider vouched for are good for their account alone after the upgrade',
  async ({ open }) => {
    const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0033'));
    const before = await open({ migrations: earlier });
    const person = { type: 'person', profile: '{}', name_keys: '', created_at: 1 };
    const key = { account_id: 'cats', name: 'k', created_at: 1, expires_at: 2, revoked_at: null };
    await before.transact(async (tx) => {
      for (const [id, email_claimed_by] of [
        ['claimed', 'cats'],
        ['own', null],
      ] as const) {
        const rest = { password_hash: null, email_verified_at: null, email_claimed_by };
        await tx
          .insertInto('users')
          .values({ ...person, id, email: `${id}@x.test`, ...rest })
          .execute();
        await tx
          .insertInto('api_keys')
          .values({ ...key, id, user_id: id } as never)
          .execute();
      }
    });
    await before.close();
    const after = await open();
    assert.deepEqual(
      await after.read.selectFrom('api_keys').select(['id', 'only_account']).orderBy('id').execute(),
      [
        { id: 'claimed', only_account: 'cats' },
        { id: 'own', only_account: null },
      ],
    );
  },
);
