/** Rotation of refresh tokens, and the common end of all tokens of a sign-in. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { decodeJwt } from 'jose';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { makeClient, postForm, signedIn } from '../../sign-in/tests/signed-in.fixture.ts';
import { TokenFlow, tokenPath } from './token-flow.fixture.ts';

describeApp('refresh and revocation', (app) => {
  let flow: TokenFlow;
  before(async () => {
    flow = await TokenFlow.open(app);
  });

  test('a refresh token is used once and returns the next one', async () => {
    const first = await flow.signIn();
    const second = (await flow.refresh(first.refresh_token)).body;
    const third = (await flow.refresh(second.refresh_token)).body;
    assert.equal(new Set([first, second, third].map((one) => one.refresh_token)).size, 3);
    assert.equal(await flow.works(third.access_token), 200);
    assert.equal(decodeJwt(third.id_token).sub, flow.user);
  });

  // asvs: 10.4.5
  test('a repeated refresh returns the same successor while that is unused, and ends the family afterwards', async () => {
    const first = await flow.signIn();
    const answers = await Promise.all(Array.from({ length: 8 }, () => flow.refresh(first.refresh_token)));
    assert.deepEqual(new Set(answers.map((one) => one.status)), new Set([200]));
    assert.equal(new Set(answers.map((one) => one.body.refresh_token)).size, 1);
    const successor = answers[0]?.body.refresh_token;
    const newest = (await flow.refresh(successor)).body;
    assert.equal((await flow.refresh(first.refresh_token)).body.error, 'invalid_grant');
    assert.equal((await flow.refresh(newest.refresh_token)).body.error, 'invalid_grant');
    assert.equal(await flow.works(newest.access_token), 401);
  });

  test('a repeated refresh after the grace period ends the family', async () => {
    const first = await flow.signIn();
    const second = (await flow.refresh(first.refresh_token)).body;
    const { records } = app.people;
    await records.transact((tx) =>
      tx
        .updateTable('grants')
        .set({ refreshed_at: Date.now() - 31_000 })
        .where('id', '=', first.refresh_token.split('.')[0])
        .execute(),
    );
    assert.equal((await flow.refresh(first.refresh_token)).body.error, 'invalid_grant');
    assert.equal((await flow.refresh(second.refresh_token)).body.error, 'invalid_grant');
  });

  test('a forged or foreign refresh token is refused and ends nothing', async () => {
    const first = await flow.signIn();
    const token: string = first.refresh_token;
    const [grant, , mac] = token.split('.');
    const other = await makeClient(app);
    const foreign = await postForm(app, tokenPath, {
      grant_type: 'refresh_token',
      client_id: other.id,
      refresh_token: token,
    });
    assert.equal(foreign.body.error, 'invalid_grant');
    for (const forged of [
      `${grant}.0.${mac}`,
      `${grant}.2.${mac}`,
      `${token}A`,
      `${token.slice(0, -1)}`,
      'x',
      `${grant}.1.`,
    ])
      assert.equal((await flow.refresh(forged)).body.error, 'invalid_grant', forged);
    assert.equal((await flow.refresh(token)).status, 200);
  });

  // asvs: 10.3.2
  test('a refresh may narrow the scope, never widen it', async () => {
    const { code, verifier } = await flow.ask(flow.client.id, { scope: 'openid email' });
    const first = (await flow.exchange(flow.client.id, code, verifier)).body;
    const more = await flow.refresh(first.refresh_token, { scope: 'openid email profile' });
    assert.equal(more.body.error, 'invalid_scope');
    const less = await flow.refresh(first.refresh_token, { scope: 'openid' });
    assert.equal(less.body.scope, 'openid');
    assert.equal(decodeJwt(less.body.id_token)['email'], undefined);
    const userinfo = (key: string) => app.call('GET', '/v1/oauth/userinfo', { key, account: undefined });
    assert.ok((await userinfo(first.access_token)).body.email);
    assert.deepEqual(Object.keys((await userinfo(less.body.access_token)).body), ['sub']);
  });

  // asvs: 10.4.11
  test('rights removed from an application end for existing tokens: scopes at the next exchange, the flow at once', async () => {
    const { id } = await makeClient(app);
    const change = (body: object) => app.call('PUT', `/v1/clients/${id}`, { body });
    const refresh = (refresh_token: string, more = {}) =>
      postForm(app, tokenPath, { grant_type: 'refresh_token', client_id: id, refresh_token, ...more });
    const { code, verifier } = await flow.ask(id);
    const early = await flow.ask(id);
    const first = (await flow.exchange(id, code, verifier)).body;
    assert.equal(first.scope, 'openid email profile phone');

    await change({ allowedScopes: ['openid', 'profile'] });
    const second = (await refresh(first.refresh_token)).body;
    assert.equal(second.scope, 'openid profile');
    assert.equal(decodeJwt(second.id_token)['email'], undefined);
    const redeemed = (await flow.exchange(id, early.code, early.verifier)).body;
    assert.deepEqual([redeemed.scope, decodeJwt(redeemed.id_token)['email']], ['openid profile', undefined]);
    await change({ allowedScopes: ['profile'] });
    const third = (await refresh(second.refresh_token)).body;
    assert.deepEqual([third.scope, third.id_token], [undefined, undefined]);
    assert.equal(await flow.works(third.access_token), 200);

    const late = await flow.ask(id);
    await change({ allowedOAuthFlows: ['implicit'], allowedScopes: ['openid', 'email'] });
    const exchanged = await flow.exchange(id, late.code, late.verifier);
    const refreshed = await refresh(third.refresh_token);
    assert.deepEqual(
      [exchanged.body.error, refreshed.body.error],
      ['unauthorized_client', 'unauthorized_client'],
    );
    await change({ allowedOAuthFlows: ['code'] });
    assert.equal((await refresh(third.refresh_token)).body.scope, 'openid email');
  });

  test('ten concurrent refreshes with one token return the same successor and no second family', async () => {
    const first = await flow.signIn();
    const replies = await Promise.all(Array.from({ length: 10 }, () => flow.refresh(first.refresh_token)));
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    const next = [...new Set(replies.map(({ body }) => body.refresh_token))];
    assert.equal(next.length, 1);
    assert.equal((await flow.refresh(next[0])).status, 200);
    assert.equal((await flow.refresh(first.refresh_token)).body.error, 'invalid_grant');
    for (const { body } of replies.slice(0, 2)) assert.equal(await flow.works(body.access_token), 401);
  });

  test('leaving the account ends its tokens of the user, also after a return', async () => {
    const leaver = await app.people.link('leaver@example.test');
    const own = new TokenFlow(app, leaver.id, await signedIn(app, leaver.id), flow.client);
    const tokens = await own.signIn();
    assert.equal(await own.works(tokens.access_token), 200);
    const { body } = await app.call('GET', '/v1/accounts/main?include=groups');
    const { id } = body.groups.find(({ name }: { name: string }) => name === 'Users');
    const members = `/v1/account/groups/${id}/members`;
    assert.equal((await app.call('DELETE', `${members}/${leaver.id}`)).status, 204);
    assert.equal(await own.works(tokens.access_token), 401);
    assert.equal((await own.refresh(tokens.refresh_token)).body.error, 'invalid_grant');
    await app.people.link('leaver@example.test');
    assert.equal((await own.refresh(tokens.refresh_token)).body.error, 'invalid_grant');
  });

  // asvs: 10.4.9
  test('revoking either token ends all tokens of the sign-in at once; an unknown token is no error', async () => {
    for (const kind of ['access_token', 'refresh_token']) {
      const tokens = await flow.signIn();
      assert.equal(await flow.works(tokens.access_token), 200);
      const other = await makeClient(app);
      const foreign = { client_id: other.id, token: tokens[kind] };
      assert.equal((await postForm(app, '/v1/oauth/revoke', foreign)).status, 200);
      assert.equal(await flow.works(tokens.access_token), 200, 'another client revokes nothing');
      const form = { client_id: flow.client.id, token: tokens[kind], token_type_hint: kind };
      assert.equal((await postForm(app, '/v1/oauth/revoke', form)).status, 200);
      assert.equal(await flow.works(tokens.access_token), 401);
      assert.equal((await flow.refresh(tokens.refresh_token)).body.error, 'invalid_grant');
    }
    assert.equal(
      (await postForm(app, '/v1/oauth/revoke', { client_id: flow.client.id, token: 'x' })).status,
      200,
    );
    assert.equal(
      (await postForm(app, '/v1/oauth/revoke', { client_id: flow.client.id })).body.error,
      'invalid_request',
    );
  });

  test('tokens of a deleted client stop working', async () => {
    const doomed = await makeClient(app);
    const { code, verifier } = await flow.ask(doomed.id);
    const tokens = (await flow.exchange(doomed.id, code, verifier)).body;
    assert.equal(await flow.works(tokens.access_token), 200);
    assert.equal((await app.call('DELETE', `/v1/clients/${doomed.id}`)).status, 204);
    assert.equal(await flow.works(tokens.access_token), 401);
  });
});
