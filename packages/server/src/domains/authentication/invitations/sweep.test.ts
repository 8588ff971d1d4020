import assert from 'node:assert/strict';
import { testOnRecords } from '../../../../../../test/support/records.ts';
import { storeToken, sweepTokens } from '../setup/index.ts';
import { sweepOrphans } from './store.ts';

testOnRecords(
  'the sweep removes invitations of removed groups and long-expired tokens only',
  async ({ open }) => {
    const records = await open();
    const group = { name: 'g', name_key: 'g', description: '', type: 'closed', created_at: 0 };
    const times = { created_at: 0, expires_at: 0, ended_at: null };
    const invitation = { inviter_id: 'i', status: 'AWAITING' as const, mail_number: 1, ...times };
    const mail = {
      number: 1,
      sender_id: 'i',
      state: 'sent' as const,
      attempts: 1,
      error: null,
      created_at: 0,
    };
    await records.transact(async (tx) => {
      await tx
        .insertInto('groups')
        .values({ id: 'here', account_id: 'main', ...group })
        .execute();
      for (const [id, group_id, account_id] of [
        ['kept', 'here', 'main'],
        ['gone', 'there', 'main'],
        // An equal id in another account is another group.
        ['foreign', 'here', 'other'],
      ] as const) {
        await tx
          .insertInto('invitations')
          .values({ id, group_id, account_id, email: `${id}@example.org`, ...invitation })
          .execute();
        await tx
          .insertInto('invitation_mails')
          .values({ invitation_id: id, account_id, ...mail })
          .execute();
      }
      await storeToken(tx, 'old', { purpose: 'invitation', subject: 'gone', lifeMs: -91 * 86_400_000 });
      await storeToken(tx, 'new', { purpose: 'invitation', subject: 'kept', lifeMs: -1 });
    });
    await records.transact(async (tx) => {
      await sweepOrphans(tx);
      await sweepTokens(tx);
    });
    const { read } = records;
    assert.deepEqual(await read.selectFrom('invitations').select('id').execute(), [{ id: 'kept' }]);
    const mails = await read.selectFrom('invitation_mails').select('invitation_id as id').execute();
    assert.deepEqual(mails, [{ id: 'kept' }]);
    const tokens = await read.selectFrom('one_time_tokens').select('subject_id as id').execute();
    assert.deepEqual(tokens, [{ id: 'kept' }]);
  },
);
