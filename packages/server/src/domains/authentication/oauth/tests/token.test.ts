/** Responses of the token endpoint, and values that are used once. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { decodeJwt } from 'jose';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { authorize, callback, makeClient, pkce, postForm } from '../../sign-in/tests/signed-in.fixture.ts';
import { TokenFlow, tokenPath } from './token-flow.fixture.ts';

describeApp('token endpoint', (app) => {
  let flow: TokenFlow;
  before(async () => {
    flow = await TokenFlow.open(app);
  });

  test('a code is exchanged for tokens that work on the API, with an id token', async () => {
    const tokens = await flow.signIn({ nonce: 'n-0S6_WzA2Mj' });
    assert.deepEqual(Object.keys(tokens).sort(), [
      'access_token',
      'expires_in',
      'id_token',
      'refresh_token',
      'scope',
      'token_type',
    ]);
    assert.equal(tokens.token_type, 'Bearer');
    assert.equal(tokens.expires_in, 3600);
    const accounts = await app.call('GET', '/v1/accounts', { key: tokens.access_token });
    assert.deepEqual(
      accounts.body.accounts.map((one: { id: string }) => one.id),
      [app.account],
    );
    const id = decodeJwt(tokens.id_token);
    assert.equal(id.sub, flow.user);
    assert.equal(id.aud, flow.client.id);
    assert.equal(id.iss, `${app.address}/v1`);
    assert.equal(id['nonce'], 'n-0S6_WzA2Mj');
    assert.equal(id['email'], 'admin@localhost');
    assert.equal(id['email_verified'], undefined);
  });

  test('an application cannot create an API key, which would outlive it; a signed-in user can', async () => {
    const { access_token: key } = await flow.signIn();
    const body = { name: 'hidden', expireInDays: 365 };
    const refused = await app.call('POST', '/v1/api-keys', { key, body });
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN']);
    assert.equal((await app.call('GET', '/v1/api-keys', { key })).status, 200);
    const headers = { cookie: flow.cookie, origin: app.address };
    const made = await app.call('POST', '/v1/api-keys', { key: undefined, headers, body });
    assert.equal(made.status, 200, made.text);
  });

  test('responses of the token endpoint are never cached', async () => {
    const { code, verifier } = await flow.ask(flow.client.id);
    const reply = await flow.exchange(flow.client.id, code, verifier);
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    assert.equal(reply.headers.get('pragma'), 'no-cache');
  });

  test('without openid there is no id token', async () => {
    const openidless = await makeClient(app, { allowedScopes: ['offline_access', 'openid'] });
    const { code, verifier } = await flow.ask(openidless.id, { scope: 'offline_access' });
    const { body } = await flow.exchange(openidless.id, code, verifier);
    assert.equal(body.id_token, undefined);
    assert.equal(body.scope, 'offline_access');
  });

  test('without an id token no response names a claim scope', async () => {
    const claimsOnly = await makeClient(app, { allowedScopes: ['email', 'offline_access'] });
    const { code, verifier } = await flow.ask(claimsOnly.id);
    assert.equal((await flow.exchange(claimsOnly.id, code, verifier)).body.scope, 'offline_access');
    const body = { allowedScopes: ['email', 'offline_access'] };
    const sentBack = await app.call('PUT', `/v1/clients/${claimsOnly.id}`, { body });
    assert.deepEqual([sentBack.status, sentBack.body.allowedScopes], [200, body.allowedScopes]);

    const robot = await makeClient(app, {
      allowedOAuthFlows: ['client_credentials'],
      generateSecret: true,
    });
    const form = { grant_type: 'client_credentials', client_id: robot.id, client_secret: robot.secret ?? '' };
    for (const scope of ['', 'openid email']) {
      const answer = await postForm(app, tokenPath, { ...form, scope });
      assert.deepEqual([answer.status, answer.body.scope], [200, undefined], scope);
      assert.equal(await flow.works(answer.body.access_token), 200);
    }
    assert.equal((await postForm(app, tokenPath, { ...form, scope: 'email' })).body.error, 'invalid_scope');
  });

  test('exactly one of ten concurrent exchanges of one code succeeds, and its tokens are revoked', async () => {
    const { code, verifier } = await flow.ask(flow.client.id);
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => flow.exchange(flow.client.id, code, verifier)),
    );
    const good = replies.filter((reply) => reply.status === 200);
    assert.equal(good.length, 1);
    for (const reply of replies.filter((one) => one.status !== 200)) {
      assert.equal(reply.status, 400);
      assert.equal(reply.body.error, 'invalid_grant');
    }
    assert.equal(await flow.works(good[0]?.body.access_token), 401);
    assert.equal((await flow.refresh(good[0]?.body.refresh_token)).body.error, 'invalid_grant');
  });

  test('another client can neither use nor invalidate a code', async () => {
    const other = await makeClient(app);
    const { code, verifier } = await flow.ask(flow.client.id);
    assert.equal((await flow.exchange(other.id, code, verifier)).body.error, 'invalid_grant');
    assert.equal((await flow.exchange(flow.client.id, code, verifier)).status, 200);
  });

  test('a code works only with its redirect_uri and verifier', async () => {
    const { code, verifier } = await flow.ask(flow.client.id);
    for (const wrong of [
      { redirect_uri: `${callback}/` },
      { redirect_uri: `${callback}?x=1` },
      { code_verifier: pkce().verifier },
      { code_verifier: `${verifier}x` },
      { code_verifier: '' },
    ]) {
      const reply = await flow.exchange(flow.client.id, code, verifier, wrong);
      assert.equal(reply.body.error, 'invalid_grant', JSON.stringify(wrong));
    }
    assert.equal(
      (await flow.exchange(flow.client.id, code, verifier, { redirect_uri: '' })).body.error,
      'invalid_request',
    );
    assert.equal((await flow.exchange(flow.client.id, code, verifier)).status, 200);
  });

  test('a verifier for a code without PKCE is refused', async () => {
    const confidential = await makeClient(app, { generateSecret: true });
    const request = { response_type: 'code', client_id: confidential.id, redirect_uri: callback };
    const { location } = await authorize(app, request, flow.cookie);
    const form = {
      grant_type: 'authorization_code',
      redirect_uri: callback,
      code: location?.searchParams.get('code') ?? '',
      client_id: confidential.id,
      client_secret: confidential.secret ?? '',
    };
    const downgraded = await postForm(app, tokenPath, { ...form, code_verifier: pkce().verifier });
    assert.equal(downgraded.body.error, 'invalid_grant');
    assert.equal((await postForm(app, tokenPath, form)).status, 200);
  });

  // asvs: 10.4.10
  test('a client with a secret must use it, in the header or in the form, not both', async () => {
    const confidential = await makeClient(app, { generateSecret: true });
    const basic = (secret: string) =>
      `Basic ${Buffer.from(`${encodeURIComponent(confidential.id)}:${encodeURIComponent(secret)}`).toString('base64')}`;
    const right = confidential.secret ?? '';
    const attempt = async (form: Record<string, string>, headers: Record<string, string> = {}) => {
      const { code, verifier } = await flow.ask(confidential.id);
      return postForm(
        app,
        tokenPath,
        { grant_type: 'authorization_code', redirect_uri: callback, code, code_verifier: verifier, ...form },
        headers,
      );
    };
    const id = { client_id: confidential.id };
    assert.equal((await attempt(id, { authorization: basic(right) })).status, 200);
    assert.equal((await attempt({}, { authorization: basic(right) })).status, 200);
    assert.equal((await attempt({ ...id, client_secret: right })).status, 200);
    const refused = await attempt(id);
    assert.deepEqual([refused.status, refused.body.error], [401, 'invalid_client']);
    assert.match(refused.headers.get('www-authenticate') ?? '', /^Basic /);
    assert.equal((await attempt(id, { authorization: basic(`${right}x`) })).status, 401);
    assert.equal((await attempt(id, { authorization: basic('') })).status, 401);
    assert.equal(
      (await attempt({ client_id: flow.client.id }, { authorization: basic(right) })).body.error,
      'invalid_request',
    );
    const both = await attempt({ ...id, client_secret: right }, { authorization: basic(right) });
    assert.equal(both.body.error, 'invalid_request');
    const unknown = { client_id: '01990000-0000-7000-8000-000000000001' };
    const ghost = await attempt({ ...unknown, client_secret: right });
    assert.deepEqual([ghost.status, ghost.body], [401, refused.body]);
  });

  test('client_credentials acts as the client itself, inside its account, until a policy permits more', async () => {
    const robot = await makeClient(app, {
      allowedOAuthFlows: ['client_credentials'],
      generateSecret: true,
      callbackUrls: [],
    });
    const form = { grant_type: 'client_credentials', client_id: robot.id, client_secret: robot.secret ?? '' };
    const { body } = await postForm(app, tokenPath, form);
    assert.equal(body.refresh_token, undefined);
    assert.equal(body.id_token, undefined);
    const accounts = await app.call('GET', '/v1/accounts', { key: body.access_token });
    assert.equal(accounts.body.accounts[0].id, app.account);
    const make = () =>
      app.call('POST', '/v1/projects', { key: body.access_token, body: { name: `By ${robot.id}` } });
    assert.equal((await make()).status, 403);
    const refused = await postForm(app, tokenPath, { ...form, client_id: flow.client.id, client_secret: '' });
    assert.equal(refused.body.error, 'unauthorized_client');
    assert.equal((await app.call('DELETE', `/v1/clients/${robot.id}`)).status, 204);
    assert.equal((await make()).status, 401);
  });

  test('every error has the form of RFC 6749', async () => {
    const base = { client_id: flow.client.id };
    const faults: [string, Record<string, string> | string][] = [
      ['invalid_request', {}],
      ['invalid_request', base],
      ['unsupported_grant_type', { ...base, grant_type: 'password' }],
      ['invalid_request', { ...base, grant_type: 'authorization_code' }],
      ['invalid_request', { ...base, grant_type: 'refresh_token' }],
      ['invalid_grant', { ...base, grant_type: 'refresh_token', refresh_token: 'x' }],
      ['invalid_grant', { ...base, grant_type: 'authorization_code', code: 'x', redirect_uri: callback }],
      ['invalid_client', { client_id: 'nobody', grant_type: 'refresh_token', refresh_token: 'x' }],
      ['invalid_request', `client_id=${flow.client.id}&client_id=${flow.client.id}&grant_type=refresh_token`],
      [
        'invalid_request',
        { ...base, grant_type: 'authorization_code', code: 'x'.repeat(5000), redirect_uri: callback },
      ],
    ];
    for (const [error, form] of faults) {
      const reply = await postForm(app, tokenPath, form);
      assert.equal(reply.body?.error, error, `${JSON.stringify(form).slice(0, 200)} ${reply.text}`);
      assert.match(reply.body.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
      assert.equal(reply.status, error === 'invalid_client' ? 401 : 400);
    }
  });

  test('responses and errors are XML on request', async () => {
    const { code, verifier } = await flow.ask(flow.client.id);
    const form = {
      grant_type: 'authorization_code',
      client_id: flow.client.id,
      redirect_uri: callback,
      code,
      code_verifier: verifier,
    };
    const good = await postForm(app, tokenPath, form, { accept: 'application/xml' });
    assert.match(good.headers.get('content-type') ?? '', /^application\/xml/);
    assert.match(
      good.text,
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<tokenResponse><access_token>[\w.-]+<\/access_token><refresh_token>[\w.-]+<\/refresh_token><id_token>[\w.-]+<\/id_token><token_type>Bearer<\/token_type><expires_in>3600<\/expires_in><scope>openid email profile phone<\/scope><\/tokenResponse>\n$/,
    );
    const bad = await postForm(app, tokenPath, form, { accept: 'text/xml;q=0.9, text/html' });
    assert.equal(bad.status, 400);
    assert.match(bad.headers.get('content-type') ?? '', /^text\/xml/);
    assert.match(bad.text, /<tokenResponse><error>invalid_grant<\/error>/);
    for (const accept of ['*/*', 'application/json', 'application/json, application/xml', 'text/html'])
      assert.match(
        (await postForm(app, tokenPath, form, { accept })).headers.get('content-type') ?? '',
        /^application\/json/,
      );
  });

  for (const path of [tokenPath, '/v1/oauth/revoke'])
    test(`a body that is no form is refused by RFC 6749, in the requested format: ${path}`, async () => {
      const send = (body: string | undefined, type: string | undefined, accept = '*/*') =>
        app.call('POST', path, {
          key: undefined,
          account: undefined,
          ...(body !== undefined && { body }),
          headers: { accept, ...(type !== undefined && { 'content-type': type }) },
        });
      const form = 'application/x-www-form-urlencoded';
      const huge = `client_id=${'x'.repeat(2_000_000)}`;
      for (const [status, description, body, type] of [
        [400, 'client_id is missing.', undefined, undefined],
        [400, 'client_id is missing.', undefined, form],
        [400, 'client_id is missing.', '', 'text/plain'],
        [415, `Send the body as ${form}.`, 'client_id=x', 'text/plain'],
        [415, `Send the body as ${form}.`, 'client_id=x', 'rubbish'],
        [413, 'The body is larger than this service takes.', huge, form],
      ] as const) {
        const plain = await send(body, type);
        assert.deepEqual(
          [plain.status, plain.body],
          [status, { error: 'invalid_request', error_description: description }],
        );
        assert.equal(plain.headers.get('cache-control'), 'no-store');
        const xml = await send(body, type, 'application/xml');
        assert.equal(xml.status, status);
        assert.match(xml.headers.get('content-type') ?? '', /^application\/xml/);
        assert.match(xml.text, /<tokenResponse><error>invalid_request<\/error>/);
      }
    });

  test('userinfo returns the claims of the scope, and nothing to an API key', async () => {
    const { code, verifier } = await flow.ask(flow.client.id, { scope: 'openid email' });
    const tokens = (await flow.exchange(flow.client.id, code, verifier)).body;
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    for (const method of ['GET', 'POST']) {
      const reply = await app.call(method, '/v1/oauth/userinfo', {
        key: undefined,
        account: undefined,
        headers,
      });
      assert.deepEqual(reply.body, { sub: flow.user, email: 'admin@localhost' });
    }
    const byKey = await app.call('GET', '/v1/oauth/userinfo');
    assert.equal(byKey.status, 403);
    assert.match(byKey.headers.get('www-authenticate') ?? '', /insufficient_scope/);
  });
});
