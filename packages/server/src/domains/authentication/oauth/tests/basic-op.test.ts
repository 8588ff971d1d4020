/**
 * Modules of the OpenID Foundation's plan `oidcc-basic-certification-test-plan`, by their names. Left out, as
 * the metadata excludes their features: oidcc-scope-address: profiles have no postal address
 * (`scopes_supported`); oidcc-scope-all runs without it. oidcc-userinfo-post-body: an access token is
 * accepted in the header only; forms are optional (RFC 6750 §2.2) and end in logs. oidcc-claims-essential:
 * `claims_parameter_supported` is false; see the unknown parameters below.
 * oidcc-ensure-request-object-with-redirect-uri: request objects are refused, see below. Dynamic
 * registration: administrators register clients.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { FormBrowser, makePerson, password, type Shown } from '../../sign-in/tests/form-browser.fixture.ts';
import { callback, makeClient, postForm } from '../../sign-in/tests/signed-in.fixture.ts';

const email = 'op@example.test';

describeApp('oidcc-basic-certification-test-plan', (app) => {
  const client = { id: '', secret: '' };
  let user = '';
  let browser: FormBrowser;
  before(async () => {
    user = await makePerson(app, email);
    Object.assign(client, await makeClient(app, { generateSecret: true }));
    const profile = {
      name: 'Olive Per',
      givenName: 'Olive',
      familyName: 'Per',
      phone: '+49 30 1',
      preferredUsername: 'op',
    };
    await app.people.records.transact((tx) =>
      tx
        .updateTable('users')
        .set({ profile: JSON.stringify(profile) })
        .where('id', '=', user)
        .execute(),
    );
    browser = new FormBrowser(app.address);
    await redirected({});
  });

  const address = (more: Record<string, string>) =>
    `/v1/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id: client.id, redirect_uri: callback, scope: 'openid', state: 's', nonce: 'n', ...more })}`;
  const signIn = (page: Shown, from = browser): Promise<Shown> =>
    page.status === 302 ? Promise.resolve(page) : from.submit(page, '/v1/oauth/sign-in', { email, password });
  /** Returns the response to the application, with a sign-in on the way if required. */
  async function redirected(more: Record<string, string>, from = browser): Promise<URLSearchParams> {
    const { location } = await signIn(await from.open(address(more)), from);
    return new URL(location ?? '').searchParams;
  }
  const redeem = (code: string) =>
    postForm(app, '/v1/oauth/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: callback,
      client_id: client.id,
      client_secret: client.secret,
    });
  async function tokensFor(more: Record<string, string> = {}, from = browser) {
    const reply = await redeem((await redirected(more, from)).get('code') ?? '');
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  }
  const userinfo = (token: string, method = 'GET') =>
    app.call(method, '/v1/oauth/userinfo', { key: `Bearer ${token}`, account: undefined });

  test('oidcc-server', async () => {
    const { id_token, access_token } = await tokensFor({}, new FormBrowser(app.address));
    const keys = createRemoteJWKSet(new URL(`${app.address}/v1/oauth/jwks`));
    const { payload } = await jwtVerify(id_token, keys, {
      issuer: `${app.address}/v1`,
      audience: client.id,
      algorithms: ['RS256'],
    });
    assert.equal(payload['nonce'], 'n');
    assert.equal(payload.sub, user);
    assert.equal((await userinfo(access_token)).body.sub, user);
  });

  test('oidcc-response-type-missing', async () => {
    const page = await browser.open(address({ response_type: '' }));
    assert.equal(new URL(page.location ?? '').searchParams.get('error'), 'invalid_request');
  });

  test('oidcc-userinfo-get, oidcc-userinfo-post-header', async () => {
    const { access_token } = await tokensFor({ scope: 'openid email' });
    for (const method of ['GET', 'POST'])
      assert.equal((await userinfo(access_token, method)).body.email, email);
  });

  test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
    const { id_token } = await tokensFor({ nonce: '' });
    assert.equal(decodeJwt(id_token)['nonce'], undefined);
  });

  test('oidcc-scope-profile, oidcc-scope-email, oidcc-scope-phone, oidcc-scope-all, oidcc-ensure-other-scope-order-succeeds', async () => {
    const claims = {
      profile: ['family_name', 'given_name', 'name', 'preferred_username'],
      email: ['email'],
      phone: ['phone_number'],
    };
    const asked: [string, string[]][] = [
      ...Object.entries(claims).map(([scope, names]): [string, string[]] => [`openid ${scope}`, names]),
      ['openid profile email phone', Object.values(claims).flat()],
      ['email openid', claims.email],
    ];
    for (const [scope, names] of asked) {
      const { access_token, id_token } = await tokensFor({ scope });
      const info = (await userinfo(access_token)).body;
      assert.deepEqual(Object.keys(info).sort(), [...names, 'sub'].sort(), scope);
      for (const name of names) assert.equal(decodeJwt(id_token)[name], info[name]);
    }
  });

  test('oidcc-display-page, oidcc-display-popup, oidcc-ui-locales, oidcc-claims-locales, oidcc-ensure-request-with-acr-values-succeeds, oidcc-ensure-request-with-unknown-parameter-succeeds', async () => {
    for (const more of [
      { display: 'page' },
      { display: 'popup' },
      { ui_locales: 'se' },
      { claims_locales: 'se' },
      { acr_values: '1 2' },
      { extra: 'foobar' },
      { claims: '{"userinfo":{"name":{"essential":true}}}' },
    ] as Record<string, string>[]) {
      assert.ok((await redirected(more)).get('code'), JSON.stringify(more));
    }
  });

  test('oidcc-prompt-login', async () => {
    const first = decodeJwt((await tokensFor()).id_token);
    const page = await browser.open(address({ prompt: 'login' }));
    assert.equal(page.status, 200, 'asked again');
    const code = new URL((await signIn(page)).location ?? '').searchParams.get('code') ?? '';
    const second = decodeJwt((await redeem(code)).body.id_token);
    assert.ok(Number(second['auth_time']) >= Number(first['auth_time']));
    assert.notEqual(second['sid'], first['sid']);
  });

  test('oidcc-prompt-none-not-logged-in, oidcc-prompt-none-logged-in', async () => {
    const stranger = await redirected({ prompt: 'none' }, new FormBrowser(app.address));
    assert.equal(stranger.get('error'), 'login_required');
    const before = decodeJwt((await tokensFor()).id_token);
    const silent = decodeJwt((await tokensFor({ prompt: 'none' })).id_token);
    assert.deepEqual([silent.sub, silent['auth_time']], [before.sub, before['auth_time']]);
  });

  test('oidcc-max-age-1, oidcc-max-age-10000', async () => {
    const before = decodeJwt((await tokensFor()).id_token);
    const fresh = decodeJwt((await tokensFor({ max_age: '10000' })).id_token);
    assert.equal(fresh['auth_time'], before['auth_time']);
    await app.people.records.transact((tx) =>
      tx
        .updateTable('sessions')
        .set((eb) => ({ authenticated_at: eb('authenticated_at', '-', 5000) }))
        .where('user_id', '=', user)
        .execute(),
    );
    assert.equal((await browser.open(address({ max_age: '1' }))).status, 200, 'asked again');
    const again = decodeJwt((await tokensFor({ max_age: '1' })).id_token);
    assert.ok(Date.now() / 1000 - Number(again['auth_time']) < 60);
  });

  test('oidcc-id-token-hint', async () => {
    const { id_token } = await tokensFor();
    assert.ok((await redirected({ id_token_hint: id_token, prompt: 'none' })).get('code'));
    const other = new FormBrowser(app.address);
    await makePerson(app, 'other@example.test');
    const page = await other.open(address({ id_token_hint: id_token }));
    const sent = await other.submit(page, '/v1/oauth/sign-in', { email: 'other@example.test', password });
    assert.equal(
      new URL(sent.location ?? '').searchParams.get('error'),
      'login_required',
      'another user signed in',
    );
  });

  test('oidcc-login-hint', async () => {
    const page = await new FormBrowser(app.address).open(address({ login_hint: email }));
    assert.match(page.text, new RegExp(`name="email"[^>]* value="${email}"`));
  });

  test('oidcc-codereuse, oidcc-codereuse-30seconds', async () => {
    const code = (await redirected({})).get('code') ?? '';
    const { access_token } = (await redeem(code)).body;
    assert.equal((await userinfo(access_token)).status, 200);
    assert.equal((await redeem(code)).body.error, 'invalid_grant');
    assert.equal((await userinfo(access_token)).status, 401, 'tokens of the first use are revoked');
  });

  test('oidcc-ensure-registered-redirect-uri', async () => {
    const page = await browser.open(address({ redirect_uri: `${callback}/foobar` }));
    assert.equal(page.status, 400);
    assert.match(page.text, /redirect_uri/);
  });

  test('oidcc-ensure-post-request-succeeds', async () => {
    const fields = Object.fromEntries(new URL(address({}), app.address).searchParams);
    for (const from of [browser, new FormBrowser(app.address)]) {
      // The cookie is not sent with a cross-site form.
      const page = await from.post('/v1/oauth/authorize', fields, {
        'sec-fetch-site': 'cross-site',
        origin: 'https://app.example',
      });
      const next = page.location?.startsWith('/') ? await from.open(page.location) : page;
      assert.ok(new URL((await signIn(next, from)).location ?? '').searchParams.get('code'));
    }
  });

  test('oidcc-server-client-secret-post', async () => {
    assert.ok((await tokensFor()).id_token);
  });

  test('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported, oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported', async () => {
    assert.equal(
      (await redirected({ request: 'eyJhbGciOiJub25lIn0.e30.' })).get('error'),
      'request_not_supported',
    );
    const byUri = await redirected({ request_uri: 'https://app.example/request.jwt' });
    assert.equal(byUri.get('error'), 'request_uri_not_supported');
  });

  test('oidcc-refresh-token', async () => {
    const { refresh_token, id_token } = await tokensFor();
    const form = {
      grant_type: 'refresh_token',
      refresh_token,
      client_id: client.id,
      client_secret: client.secret,
    };
    const renewed = decodeJwt((await postForm(app, '/v1/oauth/token', form)).body.id_token);
    const before = decodeJwt(id_token);
    for (const name of ['iss', 'sub', 'aud', 'auth_time']) assert.equal(renewed[name], before[name]);
  });

  test('oidcc-ensure-request-with-valid-pkce-succeeds', async () => {
    const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    const code = (await redirected({ code_challenge, code_challenge_method: 'S256' })).get('code') ?? '';
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: callback,
      client_id: client.id,
      client_secret: client.secret,
    };
    const code_verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    assert.equal((await postForm(app, '/v1/oauth/token', { ...form, code_verifier })).status, 200);
  });
});
