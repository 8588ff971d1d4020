import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { Audit } from '../../../audit/index.ts';
import { setFirstParty } from '../../clients/index.ts';
import { makeClient, signedIn } from '../../sign-in/tests/signed-in.fixture.ts';
import { TokenFlow } from './token-flow.fixture.ts';

describeApp('settings of OAuth clients', (app) => {
  let rotating: TokenFlow;
  let cookie = '';

  before(async () => {
    rotating = await TokenFlow.open(app);
    cookie = await signedIn(app, rotating.user);
  });

  const flowOf = async (body: object): Promise<TokenFlow> =>
    new TokenFlow(app, rotating.user, cookie, await makeClient(app, body));

  test('a lasting refresh token is returned by each use and serves again, until it is revoked', async () => {
    const flow = await flowOf({ refreshTokens: 'lasting' });
    const { refresh_token: token } = await flow.signIn();
    for (let use = 0; use < 3; use += 1) {
      const { status, body } = await flow.refresh(token);
      assert.deepEqual([status, body.refresh_token], [200, token]);
      assert.equal(await flow.works(body.access_token), 200);
    }
    const shown = await app.call('GET', `/v1/clients/${flow.client.id}`);
    assert.equal(shown.body.refreshTokens, 'lasting');
    assert.equal((await app.call('DELETE', `/v1/clients/${flow.client.id}`)).status, 204);
    assert.notEqual((await flow.refresh(token)).status, 200);
  });

  test('a token replaced while tokens rotated ends its grant, also when those of the client last since', async () => {
    const flow = await flowOf({});
    const first = await flow.signIn();
    const second = (await flow.refresh(first.refresh_token)).body;
    const path = `/v1/clients/${flow.client.id}`;
    assert.equal((await app.call('PUT', path, { body: { refreshTokens: 'lasting' } })).status, 200);
    assert.equal((await flow.refresh(second.refresh_token)).body.refresh_token, second.refresh_token);
    const { records } = app.people;
    await records.transact((tx) =>
      tx
        .updateTable('grants')
        .set({ refreshed_at: Date.now() - 31_000 })
        .where('client_id', '=', flow.client.id)
        .execute(),
    );
    assert.equal((await flow.refresh(first.refresh_token)).status, 400);
    assert.equal((await flow.refresh(second.refresh_token)).status, 400);
  });

  test('tokens of a first-party client reach profile and API keys of their user, in one account only', async () => {
    const flow = await flowOf({});
    const { id } = flow.client;
    const { records } = app.people;
    const mark = (on: boolean) => setFirstParty({ records, audit: new Audit(records) }, id, on);
    const { access_token } = await flow.signIn();
    const key = `Bearer ${access_token}`;
    const profile = () =>
      app.call('PATCH', '/v1/user', { key, account: undefined, body: { profile: { nickname: 'A' } } });
    const makeKey = () => app.call('POST', '/v1/api-keys', { key, body: { name: 'k', expireInDays: 1 } });
    const statuses = async () => [(await profile()).status, (await makeKey()).status];
    assert.deepEqual(await statuses(), [403, 403]);
    await mark(true);
    assert.deepEqual(await statuses(), [200, 200]);
    const elsewhere = await app.call('POST', '/v1/accounts', { key, body: { id: 'new', name: 'New' } });
    assert.equal(elsewhere.status, 403);
    await mark(false);
    assert.deepEqual(await statuses(), [403, 403]);
  });

  test('administrators of an account can neither mark a client as first-party nor redirect its tokens', async () => {
    const flow = await flowOf({ firstParty: true });
    const path = `/v1/clients/${flow.client.id}`;
    assert.equal((await app.call('GET', path)).body.firstParty, false);
    await app.call('PUT', path, { body: { firstParty: true } });
    assert.equal((await app.call('GET', path)).body.firstParty, false);
    const { records } = app.people;
    await setFirstParty({ records, audit: new Audit(records) }, flow.client.id, true);
    const redirected = await app.call('PUT', path, { body: { callbackUrls: ['https://evil.example/'] } });
    assert.deepEqual([redirected.status, redirected.body.code], [409, 'FIRST_PARTY_CLIENT']);
  });

  test('a user with the parts of a name only has a name claim', async () => {
    const flow = await flowOf({});
    const profile = JSON.stringify({ givenName: 'Ada', familyName: 'Lovelace' });
    await app.people.records.transact((tx) =>
      tx.updateTable('users').set({ profile }).where('id', '=', flow.user).execute(),
    );
    const { access_token } = await flow.signIn({ scope: 'openid profile' });
    const claims = await app.call('GET', '/v1/oauth/userinfo', { key: `Bearer ${access_token}` });
    assert.equal(claims.body.name, 'Ada Lovelace', claims.text);
  });

  test('events of uploads and tokens carry the id of their request', async () => {
    const flow = await flowOf({});
    const { refresh_token } = await flow.signIn();
    const { id } = (await app.call('POST', '/v1/projects', { body: { name: 'Requests' } })).body;
    for (const content of ['{"resourceType":"Patient","id":"1"}', '{"resourceType":"Patient","id":"2"}']) {
      const body = { datasetId: id, name: 'a.ndjson', overwrite: true, ingest: true };
      const { uploadUrl } = (await app.call('POST', '/v1/files', { body })).body;
      const sent = await fetch(new URL(uploadUrl, app.address), { method: 'PUT', body: content });
      assert.equal(sent.status, 200);
    }
    await flow.refresh(refresh_token);
    const rows = await app.people.records.read
      .selectFrom('audit_events')
      .select(['action', 'request_id'])
      .where((where) =>
        where.or([
          where('action', 'like', 'oauth.%'),
          where('action', 'in', ['files.upload', 'files.overwrite', 'ingestions.create']),
        ]),
      )
      .execute();
    const actions = new Set(rows.map(({ action }) => action));
    for (const action of ['oauth.signIn', 'files.upload', 'files.overwrite', 'ingestions.create'])
      assert.ok(actions.has(action), action);
    assert.deepEqual(
      rows.filter(({ request_id }) => !request_id),
      [],
    );
  });
});
