/** What a sign-in through SAML is worth, and for how long: the session, and what is granted in it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decodeJwt } from 'jose';
import { describeApp } from '../support/app.ts';
import { begin, codeOf, finish, post, responseTo, type Seen } from './saml-browser.ts';
import { type ResponseFields, TestProvider } from './saml-provider.ts';
import { authorize, callback, makeClient, pkce } from './signed-in.ts';
import { TokenFlow } from './token-flow.ts';

const hourMs = 3_600_000;

describeApp(
  'sessions of SAML sign-in',
  (app) => {
    let provider: TestProvider;
    before(async () => {
      provider = await new TestProvider().open();
    });
    after(() => provider.close());
    const newClient = (more: object = {}) =>
      makeClient(app, {
        identityProviders: ['SAML', 'PASSWORD'],
        customIdentityProvider: { metadataUrl: provider.metadataUrl },
        ...more,
      });

    /** Signs somebody in and redeems the code; `cookie` is that of the session. */
    const signIn = async (clientId: string, change: Partial<ResponseFields>, own = '') => {
      const { verifier, challenge } = pkce();
      const begun = await begin(app, clientId, { more: challenge });
      const accepted = await post(app, responseTo(app, provider, begun, change), begun.relayState);
      const seen: Seen = await finish(app, accepted, [begun.cookie, own].filter(Boolean).join('; '));
      const cookie = seen.cookies.find((one) => one.startsWith('ploidy-session=')) ?? '';
      const flow = new TokenFlow(app, '', cookie, { id: clientId });
      const { status, body, text } = await flow.exchange(clientId, codeOf(seen), verifier);
      assert.equal(status, 200, text);
      return { cookie, tokens: body, flow };
    };
    test('a session is as old as the proof at the provider, and never from the future', async () => {
      const client = await newClient();
      const before = new Date(Math.floor(Date.now() / 1000) * 1000 - 9 * hourMs);
      const { cookie, tokens } = await signIn(client.id, { nameId: 'long-ago', authenticatedAt: before });
      assert.equal(Number(decodeJwt(tokens.id_token)['auth_time']) * 1000, before.getTime());
      const ask = { response_type: 'code', client_id: client.id, redirect_uri: callback };
      const silent = { ...ask, ...pkce().challenge, prompt: 'none' };
      const young = await authorize(app, { ...silent, max_age: '60' }, cookie);
      assert.equal(young.location?.searchParams.get('error'), 'login_required');
      const old = await authorize(app, { ...silent, max_age: String((10 * hourMs) / 1000) }, cookie);
      assert.ok(old.location?.searchParams.get('code'));
      const ahead = await signIn(client.id, {
        nameId: 'ahead',
        authenticatedAt: new Date(Date.now() + 20_000),
      });
      assert.ok(Number(decodeJwt(ahead.tokens.id_token)['auth_time']) * 1000 <= Date.now());
    });
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' },
);
