/** Audit events of tokens: every issue and revocation. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { FormBrowser, hiddenOf, makePerson, signInTo } from '../../sign-in/tests/form-browser.fixture.ts';
import {
  authorize,
  callback,
  makeClient,
  pkce,
  postForm,
  signedIn,
} from '../../sign-in/tests/signed-in.fixture.ts';
import { TokenFlow } from './token-flow.fixture.ts';

describeApp('events of tokens', (app) => {
  let user = '';
  const email = 'events@example.test';
  before(async () => {
    user = await makePerson(app, email);
  });
  const events = async (of = user): Promise<string[]> => {
    const rows = await app.people.records.read
      .selectFrom('audit_events')
      .select(['action', 'outcome', 'via'])
      .where('account_id', '=', app.account)
      .where('user_id', '=', of)
      .where('action', 'like', 'oauth.%')
      .orderBy('sequence')
      .execute();
    return rows.map(({ action, outcome, via }) => `${action} ${outcome} ${via}`);
  };

  test('an implicit token in an existing session is an event, and so is its revocation, once', async () => {
    const client = await makeClient(app, { allowedOAuthFlows: ['implicit'] });
    const cookie = await signedIn(app, user);
    const { location } = await authorize(
      app,
      { response_type: 'token', client_id: client.id, redirect_uri: callback },
      cookie,
    );
    const token = location?.searchParams.get('access_token') ?? '';
    assert.ok(token);
    const via = `client:${client.id}`;
    assert.deepEqual(await events(), [`oauth.signIn done ${via}`]);
    for (const _ of ['first', 'once more'])
      assert.equal((await postForm(app, '/v1/oauth/revoke', { token, client_id: client.id })).status, 200);
    assert.deepEqual(await events(), [`oauth.signIn done ${via}`, `oauth.revoke done ${via}`]);
  });

  // asvs: 16.3.1
  test('a code is one event, at its exchange', async () => {
    const before = (await events()).length;
    const flow = new TokenFlow(app, user, await signedIn(app, user), await makeClient(app));
    const { code, verifier } = await flow.ask();
    assert.equal((await events()).length, before);
    assert.equal((await flow.exchange(flow.client.id, code, verifier)).status, 200);
    assert.deepEqual((await events()).slice(before), [`oauth.signIn done client:${flow.client.id}`]);
  });

  test('consent, sign-out and a stolen token of the command line are events in each account of the user', async () => {
    const before = (await events()).length;
    const id = 'ploidy-command-line';
    const browser = new FormBrowser(app.address);
    await signInTo(browser, email);
    const letIn = async () => {
      const { verifier, challenge } = pkce();
      const redirect_uri = 'http://127.0.0.1:49152/callback';
      const query = new URLSearchParams({ response_type: 'code', client_id: id, redirect_uri, ...challenge });
      const page = await browser.open(`/v1/oauth/authorize?${query}`);
      const path = '/v1/oauth/command-line';
      const back = await browser.post(path, hiddenOf(page.text, path));
      const code = new URL(back.location ?? '').searchParams.get('code') ?? '';
      return {
        code,
        redirect_uri,
        client_id: id,
        code_verifier: verifier,
        grant_type: 'authorization_code',
      };
    };
    const form = await letIn();
    const { body } = await postForm(app, '/v1/oauth/token', form);
    assert.ok(body.refresh_token);
    await postForm(app, '/v1/oauth/revoke', { token: body.refresh_token, client_id: id });
    const stolen = await letIn();
    for (const status of [200, 400])
      assert.equal((await postForm(app, '/v1/oauth/token', stolen)).status, status);
    assert.deepEqual((await events()).slice(before), [
      `oauth.signIn done client:${id}`,
      `oauth.revoke done client:${id}`,
      `oauth.signIn done client:${id}`,
      `oauth.reuse refused client:${id}`,
    ]);
  });
});
