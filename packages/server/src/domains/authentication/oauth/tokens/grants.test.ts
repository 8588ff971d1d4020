import assert from 'node:assert/strict';
import { testOnRecords } from '../../../../../../../test/support/records.ts';
import { commandLine } from '../../clients/client.ts';
import { Sessions } from '../../sign-in/sessions/index.ts';
import { Grants } from './grants.ts';

const request = { client: commandLine, flow: 'code', scope: 'openid' } as const;

testOnRecords('a session that ended after its check grants nothing', async ({ open }) => {
  const records = await open();
  const sessions = new Sessions(records, { lifeMs: 60_000, idleMs: 60_000 });
  const grants = new Grants(records, 60_000);
  const who = { userId: 'u', methods: ['pwd' as const], userAgent: '', address: '' };
  const { session } = await records.transact((tx) => sessions.begin(tx, who));
  const grant = () => records.transact((tx) => grants.add(tx, request, session));
  assert.ok((await grant()).code);
  await records.transact((tx) => sessions.end(tx, 'u', {}));
  await assert.rejects(grant, { code: 'login_required' });
});

testOnRecords('a grant made while its session ends does not survive', async ({ open }) => {
  const records = await open();
  const other = await open();
  const sessions = new Sessions(records, { lifeMs: 60_000, idleMs: 60_000 });
  const grants = new Grants(records, 60_000);
  const who = { userId: 'u', methods: ['pwd' as const], userAgent: '', address: '' };
  const { session } = await records.transact((tx) => sessions.begin(tx, who));
  const elsewhere = new Grants(other, 60_000);
  await Promise.allSettled([
    ...Array.from({ length: 5 }, () => records.transact((tx) => grants.add(tx, request, session))),
    other.transact(async (tx) => {
      await new Sessions(other, { lifeMs: 1, idleMs: 1 }).end(tx, 'u', {});
      await elsewhere.revoke(tx, { user: 'u' });
    }),
    ...Array.from({ length: 5 }, () => records.transact((tx) => grants.add(tx, request, session))),
  ]);
  const left = records.read.selectFrom('grants').select('id').where('revoked_at', 'is', null);
  assert.deepEqual(await left.execute(), []);
});
