/** Sign-in form: success, failures and their messages. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { decodeJwt } from 'jose';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { until } from '../../../../../../../test/support/until.ts';
import { hashesMade } from '../passwords/index.ts';
import {
  eventsOf,
  FormBrowser,
  hiddenOf,
  makePerson,
  password,
  type Shown,
  signInTo,
} from './form-browser.fixture.ts';
import { callback, makeClient, pkce, postForm } from './signed-in.fixture.ts';

const signInPath = '/v1/oauth/sign-in';
const wrong = /The e-mail address or the password is wrong\./;

describeApp('sign-in form', (app) => {
  let client: { id: string };
  let user = '';
  before(async () => {
    client = await makeClient(app, { name: 'Ward <7>' });
    user = await makePerson(app, 'jane@example.test');
  });

  const { verifier, challenge } = pkce();
  const query = (more: Record<string, string> = {}) =>
    `/v1/oauth/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: client.id,
      redirect_uri: callback,
      state: 's t&å',
      scope: 'openid email',
      ...challenge,
      ...more,
    })}`;
  const sessionsOf = (id: string) =>
    app.people.records.read.selectFrom('sessions').selectAll().where('user_id', '=', id).execute();

  test('the right password redirects to the application by 302 with a valid code', async () => {
    const browser = new FormBrowser(app.address);
    const page = await browser.open(query({ login_hint: 'Jane@Example.test' }));
    assert.match(page.text, /To continue to <strong>Ward &lt;7&gt;<\/strong>/);
    assert.match(page.text, /value="Jane@Example\.test"/);
    const sent = await browser.submit(page, signInPath, { email: ' JANE@example.test', password });
    assert.equal(sent.status, 302);
    const location = new URL(sent.location ?? '');
    assert.equal(location.origin + location.pathname, callback);
    assert.equal(location.searchParams.get('state'), 's t&å');
    assert.equal(location.searchParams.get('iss'), `${app.address}/v1`);
    const [cookie = '', device = ''] = sent.headers.getSetCookie();
    assert.match(cookie, /^ploidy-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/);
    assert.match(
      device,
      /^ploidy-device=[\w-]{22}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=34560000$/,
    );
    assert.equal(sent.headers.get('cache-control'), 'no-store');
    const tokens = await postForm(app, '/v1/oauth/token', {
      grant_type: 'authorization_code',
      client_id: client.id,
      redirect_uri: callback,
      code: location.searchParams.get('code') ?? '',
      code_verifier: verifier,
    });
    const claims = decodeJwt(tokens.body.id_token);
    assert.deepEqual(claims['amr'], ['pwd']);
    assert.equal(claims.sub, user);
    assert.ok((await eventsOf(app, user)).includes('signIn.done'));
    const again = await browser.open(query());
    assert.equal(again.status, 302, 'signed in already: no form');
  });

  test('an unknown address, a user without a password and a wrong password have equal responses and cost one hash', async () => {
    await app.people.link('no-password@example.test');
    const answers: string[] = [];
    for (const email of ['nobody@example.test', 'no-password@example.test', 'jane@example.test']) {
      const browser = new FormBrowser(app.address);
      const page = await browser.open(query());
      const before = hashesMade();
      const reply = await browser.submit(page, signInPath, { email, password: 'wrong password' });
      assert.equal(hashesMade() - before, 1, email);
      assert.equal(reply.status, 400);
      assert.match(reply.text, wrong);
      assert.equal(reply.headers.get('set-cookie')?.startsWith('ploidy-form='), true);
      answers.push(withoutChance(reply, email));
    }
    assert.equal(new Set(answers).size, 1, answers.join('\n'));
    await until(async () => (await eventsOf(app, user)).includes('signIn.failed'), 'an audit event');
  });

  test('errors are tied to the fields and announced; the address stays, the password does not', async () => {
    const browser = new FormBrowser(app.address);
    const page = await browser.open(query());
    const reply = await browser.submit(page, signInPath, {
      email: 'a"><b@example.test',
      password: 'hunter22222',
    });
    assert.match(reply.text, /<p role="alert" id="fault">/);
    assert.match(
      reply.text,
      /name="email"[^>]* value="a&quot;&gt;&lt;b@example\.test"[^>]* aria-describedby="fault"/,
    );
    assert.match(reply.text, /<title>Error: Sign in/);
    assert.doesNotMatch(reply.text, /hunter22222|<script|<b@/);
  });

  // asvs: 2.3.1
  test('a form not shown in this browser for this request does not sign in', async () => {
    const other = await new FormBrowser(app.address).open(query());
    const attempts: [string, (browser: FormBrowser, page: Shown) => Promise<Shown>][] = [
      [
        'no cookie',
        async (browser, page) => {
          browser.cookies.clear();
          return browser.submit(page, signInPath, credentials);
        },
      ],
      [
        'the proof of another browser',
        (browser) => browser.post(signInPath, { ...hiddenOf(other.text, signInPath), ...credentials }),
      ],
      ['no proof', (browser, page) => browser.submit(page, signInPath, { ...credentials, proof: '' })],
      [
        'another request',
        async (browser, page) => {
          const request = new URL(query({ state: 'of the attacker' }), app.address).search.slice(1);
          return browser.submit(page, signInPath, { ...credentials, request });
        },
      ],
      [
        'another site',
        (browser, page) => browser.submit(page, signInPath, credentials, { 'sec-fetch-site': 'cross-site' }),
      ],
      [
        'a neighbour',
        (browser, page) => browser.submit(page, signInPath, credentials, { 'sec-fetch-site': 'same-site' }),
      ],
    ];
    const credentials = { email: 'jane@example.test', password };
    const before = (await sessionsOf(user)).length;
    for (const [what, attempt] of attempts) {
      const browser = new FormBrowser(app.address);
      const reply = await attempt(browser, await browser.open(query()));
      assert.equal(reply.status, 400, what);
      assert.match(reply.text, /role="alert"/, what);
      assert.equal(browser.cookies.has('ploidy-session'), false, what);
    }
    const browser = new FormBrowser(app.address);
    const fields = { ...hiddenOf((await browser.open(query())).text, signInPath), ...credentials };
    const body = new URLSearchParams(fields);
    const headers = { cookie: browser.cookie, origin: 'https://evil.example' };
    const foreign = await fetch(app.address + signInPath, { method: 'POST', body, headers });
    assert.equal(foreign.status, 400, 'a browser that sends only Origin');
    assert.equal((await sessionsOf(user)).length, before);
  });

  test('the request in the form is validated again: an injected address gets no redirect', async () => {
    const browser = new FormBrowser(app.address);
    const page = await browser.open(query());
    for (const more of [{ redirect_uri: 'https://evil.example/' }, { client_id: 'nobody' }] as Record<
      string,
      string
    >[]) {
      const request = new URL(query(more), app.address).search.slice(1);
      const reply = await browser.submit(page, signInPath, { email: 'jane@example.test', password, request });
      assert.equal(reply.status, 400);
      assert.equal(reply.location, undefined);
    }
  });

  // asvs: 7.2.4
  test('a planted cookie is not promoted, and the previous session ends with a new sign-in', async () => {
    const browser = new FormBrowser(app.address);
    browser.cookies.set('ploidy-session', 'A'.repeat(43));
    await signInTo(browser, 'jane@example.test');
    const first = browser.cookies.get('ploidy-session');
    assert.notEqual(first, 'A'.repeat(43));
    const page = await browser.open(query({ prompt: 'login' }));
    await browser.submit(page, signInPath, { email: 'jane@example.test', password });
    assert.notEqual(browser.cookies.get('ploidy-session'), first);
    const old = new FormBrowser(app.address);
    old.cookies.set('ploidy-session', first ?? '');
    assert.equal((await old.open('/v1/accounts')).status, 401);
    assert.equal((await browser.open('/v1/accounts')).status, 200);
  });

  test('no page can be framed or run a script, and its form targets the service and the application only', async () => {
    const browser = new FormBrowser(app.address);
    const page = await browser.open(query());
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /form-action 'self' https:\/\/app\.example;/);
    assert.equal(page.headers.get('x-frame-options'), 'DENY');
    assert.doesNotMatch(page.text, /<script|javascript:|\son\w+=/);
    // `no-referrer` would turn the form's `Origin` into `null`.
    assert.equal(page.headers.get('referrer-policy'), 'same-origin');
    const { policy: own } = {
      policy: (await browser.open(signInPath)).headers.get('content-security-policy'),
    };
    assert.match(own ?? '', /form-action 'self';/);
  });

  // asvs: 6.3.1
  test('wrong passwords cause a delay, which is shown; other users are not delayed', async () => {
    const email = 'slow@example.test';
    const id = await makePerson(app, email);
    const browser = new FormBrowser(app.address);
    for (let attempt = 1; attempt <= 6; attempt++)
      assert.equal((await signInTo(browser, email, 'wrong password')).status, 400);
    const before = hashesMade();
    const held = await signInTo(browser, email);
    // On a slow machine the delay of a second may be over.
    if (held.status === 302) return;
    assert.equal(held.status, 429);
    assert.equal(held.headers.get('retry-after'), '1');
    assert.match(held.text, /Wait 1 second, then try again\./);
    assert.equal(hashesMade(), before, 'no hash is made while one waits');
    assert.equal((await signInTo(new FormBrowser(app.address), 'jane@example.test')).status, 302);
    await until(async () => (await signInTo(browser, email)).status === 302, 'the end of the wait');
    assert.equal((await sessionsOf(id)).length, 1);
    const row = await app.people.records.read.selectFrom('sign_in_delays').select('id').execute();
    assert.ok(!JSON.stringify(row).includes('example'), 'addresses that were tried are not kept');
  });

  test('a client without passwords offers the identity provider only, one with both offers both', async () => {
    const saml = { customIdentityProvider: { attributeMapping: [], metadataUrl: 'https://idp.example/m' } };
    for (const identityProviders of [['SAML'], ['PASSWORD', 'SAML']]) {
      const { id } = await makeClient(app, { identityProviders, ...saml });
      const browser = new FormBrowser(app.address);
      const page = await browser.open(query({ client_id: id }));
      const href = /href="(\/v1\/saml\/sign-in\?request=[^"]+)"/.exec(page.text)?.[1];
      const carried = new URL(href ?? '', app.address).searchParams.get('request');
      assert.equal(new URLSearchParams(carried ?? '').get('client_id'), id);
      assert.equal(page.text.includes('name="password"'), identityProviders.length === 2);
    }
  });

  test('implicit returns a token after the form too', async () => {
    const { id } = await makeClient(app, { allowedOAuthFlows: ['implicit'] });
    const browser = new FormBrowser(app.address);
    const request = { response_type: 'token', client_id: id, redirect_uri: callback };
    const page = await browser.open(`/v1/oauth/authorize?${new URLSearchParams(request)}`);
    const sent = await browser.submit(page, signInPath, { email: 'jane@example.test', password });
    const key = new URL(sent.location ?? '').searchParams.get('access_token') ?? '';
    assert.equal((await app.call('GET', '/v1/accounts', { key })).status, 200);
  });

  test('many concurrent sign-ins are served in turn without failures', async () => {
    const browsers = Array.from({ length: 12 }, () => new FormBrowser(app.address));
    const replies = await Promise.all(browsers.map((browser) => signInTo(browser, 'jane@example.test')));
    const statuses = replies.map(({ status }) => status);
    assert.ok(
      statuses.every((status) => status === 302 || status === 429),
      statuses.join(),
    );
    assert.ok(statuses.includes(302));
  });
});

/** Returns a page without random values and input. */
function withoutChance({ status, text, headers }: Shown, email: string): string {
  const { 'content-security-policy': policy, ...rest } = Object.fromEntries(headers);
  for (const name of ['set-cookie', 'date', 'x-request-id']) delete rest[name];
  const shown = text
    .replaceAll(email, 'EMAIL')
    .replace(/nonce="[^"]+"/, '')
    .replace(/name="proof" value="[^"]+"/, '');
  return JSON.stringify([
    status,
    shown.length,
    shown,
    policy?.replace(/nonce-[^']+/, ''),
    { ...rest, 'content-length': '' },
  ]);
}
