/** Redirects of /oauth/authorize, and errors without redirect. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import {
  authorize,
  callback,
  firstUser,
  makeClient,
  pkce,
  signedIn,
} from '../../sign-in/tests/signed-in.fixture.ts';

describeApp('authorization endpoint', (app) => {
  let cookie = '';
  let client: { id: string };
  let implicit: { id: string };
  before(async () => {
    cookie = await signedIn(app, await firstUser(app));
    client = await makeClient(app, {
      callbackUrls: [callback, 'http://127.0.0.1/cb', 'https://app.example/fixed?a=b'],
    });
    implicit = await makeClient(app, { allowedOAuthFlows: ['implicit'] });
  });

  const base = (more: Record<string, string> = {}) => ({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: callback,
    state: 'af0ifjsldkj&=é',
    ...pkce().challenge,
    ...more,
  });

  test('a code is returned in the query with state and iss, and the browser stores nothing', async () => {
    const { status, location, headers } = await authorize(app, base(), cookie);
    assert.equal(status, 302);
    assert.equal(`${location?.origin}${location?.pathname}`, callback);
    assert.deepEqual([...(location?.searchParams.keys() ?? [])].sort(), ['code', 'iss', 'state']);
    assert.equal(location?.searchParams.get('state'), 'af0ifjsldkj&=é');
    assert.equal(location?.searchParams.get('iss'), `${app.address}/v1`);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
  });

  test('the parameters may be in a form', async () => {
    const form = new URLSearchParams(base()).toString();
    const response = await fetch(`${app.address}/v1/oauth/authorize`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: form,
    });
    assert.equal(response.status, 302);
    assert.ok(new URL(response.headers.get('location') ?? '').searchParams.get('code'));
  });

  test('implicit returns an access token in the query, never a refresh token', async () => {
    const request = { response_type: 'token', client_id: implicit.id, redirect_uri: callback, state: 's' };
    const { location } = await authorize(app, request, cookie);
    const fields = Object.fromEntries(location?.searchParams ?? []);
    assert.deepEqual(Object.keys(fields).sort(), [
      'access_token',
      'expires_in',
      'iss',
      'scope',
      'state',
      'token_type',
    ]);
    assert.equal(location?.hash, '');
    assert.equal((await app.call('GET', '/v1/accounts', { key: fields['access_token'] })).status, 200);
  });

  test('a flow that the client may not use is refused', async () => {
    const token = await authorize(app, base({ response_type: 'token' }), cookie);
    assert.equal(token.location?.searchParams.get('error'), 'unauthorized_client');
    const code = await authorize(app, { ...base(), client_id: implicit.id }, cookie);
    assert.equal(code.location?.searchParams.get('error'), 'unauthorized_client');
  });

  // asvs: 3.7.2, 10.4.1
  test('an unknown client or unregistered address causes no redirect', async () => {
    const wrong: Record<string, string>[] = [
      { client_id: '01990000-0000-7000-8000-000000000001' },
      { client_id: '' },
      { redirect_uri: '' },
      ...[
        'https://evil.example/callback',
        `${callback}/`,
        `${callback}?x=1`,
        `${callback}#x`,
        'https://app.example/callback/../evil',
        'https://app.example/Callback',
        'https://APP.example/callback',
        'https://app.example:443/callback',
        'https://app.example:8443/callback',
        'https://user@app.example/callback',
        'https://app.example@evil.example/callback',
        'https://app.example\\.evil.example/callback',
        'https://app.example%2fcallback',
        'https://app.example/callb%61ck',
        'https://аpp.example/callback',
        'http://app.example/callback',
        '//app.example/callback',
        '/callback',
        'javascript:alert(1)',
        ' https://app.example/callback',
        'http://127.0.0.1:80@evil.example/cb',
        'http://localhost/cb',
        'http://127.0.0.1:99999/cb',
      ].map((redirect_uri) => ({ redirect_uri })),
    ];
    for (const more of wrong) {
      const { status, location, headers, text } = await authorize(app, base(more), cookie);
      assert.equal(status, 400, JSON.stringify(more));
      assert.equal(location, undefined);
      assert.match(headers.get('content-type') ?? '', /^text\/html/);
      assert.match(text, /role="alert"/);
      assert.ok(!text.includes('evil'), 'the page repeats nothing of the request');
    }
  });

  const ask = (query: string, init: RequestInit = {}) =>
    fetch(`${app.address}/v1/oauth/authorize?${query}`, { redirect: 'manual', headers: { cookie }, ...init });

  // asvs: 15.3.7
  test('a client or address that is repeated or no text is refused on a page', async () => {
    for (const [name, value] of [
      ['client_id', 'evil'],
      ['redirect_uri', 'evil'],
      ['client_id', '%00evil'],
      ['client_id', '%ffevil'],
      ['redirect_uri', '%00evil'],
    ] as const) {
      const { [name]: _, ...rest } = base() as Record<string, string>;
      const twice = `${new URLSearchParams(base())}&${name}=${value}`;
      for (const query of value === 'evil'
        ? [twice]
        : [twice, `${new URLSearchParams(rest)}&${name}=${value}`]) {
        const response = await ask(query);
        assert.equal(response.status, 400, query);
        assert.equal(response.headers.get('location'), null);
        assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
        assert.doesNotMatch(await response.text(), /evil/);
      }
    }
  });

  test('any other parameter that is repeated or no text is returned as invalid_request', async () => {
    const wrong: [string, string | null][] = [
      ['scope=openid&scope=openid', 's'],
      ['nonce=a&nonce=b', 's'],
      ['unknown=a&unknown=b', 's'],
      ['scope=%00', 's'],
      ['nonce=a%ffb', 's'],
      ['nonce=%f4%8f%bf%bf', 's'],
    ];
    const { state: _, scope: __, ...rest } = base() as Record<string, string>;
    const cases = wrong.map(([more, state]) => [`state=s&${more}`, state] as const);
    const states = [
      ['state=a&state=b', null],
      ['state=a%ffb', null],
      ['scope=%ff&state=%ff', null],
      ['state=%ff&scope=%ff', null],
      ['scope=%ff&state=s', 's'],
      ['state=%00', '\0'],
    ] as const;
    for (const [more, state] of [...cases, ...states]) {
      const response = await ask(`${new URLSearchParams(rest)}&${more}`);
      assert.equal(response.status, 302, more);
      const location = new URL(response.headers.get('location') ?? '');
      assert.equal(location.origin, new URL(base().redirect_uri).origin);
      assert.equal(location.searchParams.get('error'), 'invalid_request', more);
      assert.equal(location.searchParams.get('state'), state, more);
      assert.equal(location.searchParams.get('code'), null);
    }
    const form = new URLSearchParams({ ...base(), state: 'evil\0' });
    const posted = await ask('', { method: 'POST', body: form, headers: { cookie } });
    assert.match(posted.headers.get('location') ?? '', /error=invalid_request/);
  });

  test('a state with line breaks, markup or 2000 letters is returned unchanged, in the address alone', async () => {
    for (const state of [
      'a\r\nSet-Cookie: x=y',
      '"><script>alert(1)</script>',
      '&code=x#y',
      's'.repeat(2000),
    ]) {
      const { location, headers } = await authorize(app, base({ state }), cookie);
      assert.equal(location?.searchParams.get('state'), state);
      assert.equal(location?.searchParams.getAll('code').length, 1);
      assert.equal(location?.hash, '');
      assert.equal(headers.get('set-cookie'), null);
      const view = await authorize(app, base({ state, login_hint: state }));
      assert.equal(view.status, 200);
      assert.doesNotMatch(view.text, /<script/);
    }
  });

  test('a loopback address may have any port, and a registered query is kept', async () => {
    const port = await authorize(app, base({ redirect_uri: 'http://127.0.0.1:49152/cb' }), cookie);
    assert.equal(port.location?.host, '127.0.0.1:49152');
    assert.ok(port.location?.searchParams.get('code'));
    const query = await authorize(app, base({ redirect_uri: 'https://app.example/fixed?a=b' }), cookie);
    assert.equal(query.location?.searchParams.get('a'), 'b');
    assert.ok(query.location?.searchParams.get('code'));
  });

  test('every later error is returned to the application with error, state and iss', async () => {
    const faults: [string, Record<string, string>][] = [
      ['invalid_request', { response_type: '' }],
      ['unsupported_response_type', { response_type: 'id_token' }],
      ['unsupported_response_type', { response_type: 'code token' }],
      ['invalid_request', { response_mode: 'fragment' }],
      ['invalid_scope', { scope: 'openid admin' }],
      ['invalid_scope', { scope: 'email' }],
      ['invalid_scope', { scope: 'profile phone' }],
      ['invalid_request', { code_challenge_method: 'plain' }],
      ['invalid_request', { code_challenge_method: '' }],
      ['invalid_request', { code_challenge: '' }],
      ['invalid_request', { code_challenge: 'short' }],
      ['invalid_request', { code_challenge: '', code_challenge_method: '' }],
      ['invalid_request', { prompt: 'none login' }],
      ['invalid_request', { prompt: 'hello' }],
      ['invalid_request', { max_age: '-1' }],
      ['invalid_request', { nonce: 'n'.repeat(3000) }],
      ['request_not_supported', { request: 'x' }],
      ['request_uri_not_supported', { request_uri: 'https://x.example' }],
      ['registration_not_supported', { registration: '{}' }],
      ['invalid_request', { id_token_hint: 'x' }],
    ];
    for (const [error, more] of faults) {
      const { status, location } = await authorize(app, base(more), cookie);
      assert.equal(status, 302, JSON.stringify(more));
      assert.equal(location?.searchParams.get('error'), error, JSON.stringify(more));
      assert.equal(location?.searchParams.get('state'), base().state);
      assert.equal(location?.searchParams.get('iss'), `${app.address}/v1`);
      assert.ok(location?.searchParams.get('error_description'));
      assert.equal(location?.searchParams.get('code'), null);
    }
  });

  test('without a session the response is the sign-in view, or login_required with prompt=none', async () => {
    const view = await authorize(app, base());
    assert.equal(view.status, 200);
    assert.match(view.text, /<h1>Sign in<\/h1>/);
    const none = await authorize(app, base({ prompt: 'none' }));
    assert.equal(none.location?.searchParams.get('error'), 'login_required');
    assert.ok((await authorize(app, base({ prompt: 'none' }), cookie)).location?.searchParams.get('code'));
    assert.equal((await authorize(app, base(), 'ploidy-session=forged')).status, 200);
  });

  test('prompt=login and an old sign-in ask again, a recent one does not', async () => {
    assert.equal((await authorize(app, base({ prompt: 'login' }), cookie)).status, 200);
    assert.equal((await authorize(app, base({ prompt: 'select_account' }), cookie)).status, 200);
    const old = await signedIn(app, await firstUser(app), Date.now() - 100_000);
    assert.equal((await authorize(app, base({ max_age: '60' }), old)).status, 200);
    assert.equal((await authorize(app, base({ max_age: '0' }), old)).status, 200);
    assert.ok((await authorize(app, base({ max_age: '3000' }), old)).location?.searchParams.get('code'));
    const none = await authorize(app, base({ max_age: '60', prompt: 'none' }), old);
    assert.equal(none.location?.searchParams.get('error'), 'login_required');
  });

  // asvs: 6.3.4
  test('a client that offers only SAML does not accept a sign-in with a password', async () => {
    const saml = await makeClient(app, {
      identityProviders: ['SAML'],
      customIdentityProvider: { metadataUrl: 'https://idp.example/metadata' },
    });
    assert.equal((await authorize(app, { ...base(), client_id: saml.id }, cookie)).status, 200);
  });

  test('an application of an account gets tokens of its members only, and for this account only', async () => {
    const owner = await app.people.owner('elsewhere');
    const stranger = await signedIn(app, owner.userId);
    const denied = await authorize(app, base(), stranger);
    assert.equal(denied.location?.searchParams.get('error'), 'access_denied');
    assert.equal(denied.location?.searchParams.get('code'), null);
    const made = await app.call('POST', '/v1/clients', {
      key: owner.key,
      account: 'elsewhere',
      body: { name: 'Theirs', callbackUrls: [callback], allowedOAuthFlows: ['implicit'] },
    });
    const theirs = { response_type: 'token', client_id: made.body.id, redirect_uri: callback };
    assert.equal((await authorize(app, theirs, cookie)).location?.searchParams.get('error'), 'access_denied');
    const own = await app.call('POST', '/v1/accounts', {
      key: owner.key,
      body: { name: 'Second of theirs' },
    });
    assert.equal(own.status, 200);
    const { location } = await authorize(app, theirs, stranger);
    const accounts = await app.call('GET', '/v1/accounts', {
      key: location?.searchParams.get('access_token') ?? '',
    });
    assert.deepEqual(
      accounts.body.accounts.map((one: { id: string }) => one.id),
      ['elsewhere'],
    );
  });
});
