/** Removal of sign-in data with an account. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { untilRemoved } from '../../../../../../../test/support/removals.ts';
import { Sessions } from '../sessions/index.ts';
import { postForm } from './signed-in.fixture.ts';

describeApp('removing an account', (app) => {
  test('a removed account loses its clients, their tokens, their users and the sign-ins limited to it', async () => {
    const { records } = app.people;
    const { key, userId } = await app.people.owner('doomed');
    const sender = { key, account: 'doomed' };
    const made = await app.call('POST', '/v1/clients', {
      body: { name: 'Robot', generateSecret: true, allowedOAuthFlows: ['client_credentials'] },
      ...sender,
    });
    const { id, secret } = made.body;
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
    const token = (await postForm(app, '/v1/oauth/token', form)).body.access_token;
    const sessions = new Sessions(records, { lifeMs: 3_600_000, idleMs: 3_600_000 });
    const { session } = await records.transact((tx) =>
      sessions.begin(tx, { userId, methods: ['saml'], onlyAccount: 'doomed', userAgent: '', address: '' }),
    );
    assert.equal((await app.call('DELETE', '/v1/accounts/doomed?force=true', sender)).status < 300, true);
    await untilRemoved(records, 'account', 'doomed');
    const { read } = records;
    assert.equal(
      await read.selectFrom('clients').select('id').where('id', '=', id).executeTakeFirst(),
      undefined,
    );
    assert.equal(
      await read.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst(),
      undefined,
    );
    assert.equal(
      await read.selectFrom('grants').select('id').where('client_id', '=', id).executeTakeFirst(),
      undefined,
    );
    assert.equal(
      await read.selectFrom('sessions').select('id').where('id', '=', session.id).executeTakeFirst(),
      undefined,
    );
    const reply = await app.call('GET', '/v1/accounts', { key: token, account: undefined });
    assert.ok(reply.status === 401 || reply.body.accounts.length === 0, reply.text);
    assert.equal((await postForm(app, '/v1/oauth/token', form)).body.error, 'invalid_client');
  });

  test('a removed account keeps its users, who have no account until they join another', async () => {
    const { records } = app.people;
    const { key, userId } = await app.people.owner('only');
    const gone = await app.call('DELETE', '/v1/accounts/only?force=true', { key, account: 'only' });
    assert.equal(gone.status, 204, gone.text);
    await untilRemoved(records, 'account', 'only');
    const memberships = records.read.selectFrom('group_members').select('group_id');
    assert.deepEqual(await memberships.where('user_id', '=', userId).execute(), []);
    assert.equal((await app.people.link('owner@only.test')).id, userId);
    const accounts = await app.call('GET', '/v1/accounts', {
      key: await app.people.key(userId, 'main'),
      account: undefined,
    });
    assert.deepEqual(
      accounts.body.accounts.map(({ id }: { id: string }) => id),
      ['main'],
    );
  });
});
