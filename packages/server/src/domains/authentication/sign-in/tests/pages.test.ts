/** Common properties of all sign-in pages over https: headers, cookies, and escaped input. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openTestApp, type TestApp } from '../../../../../../../test/support/app.ts';
import { freePort } from '../../../../../../../test/support/free-port.ts';
import { FormBrowser, hiddenOf, makePerson, password, type Shown } from './form-browser.fixture.ts';
import { callback } from './signed-in.fixture.ts';

const publicUrl = 'https://ploidy.example';
const signInPath = '/v1/oauth/sign-in';
const markup = `"'><img src=x onerror=alert(1)><script>alert(2)</script>`;
const own = { origin: publicUrl, 'sec-fetch-site': 'same-origin' };

describe('sign-in pages', () => {
  let app: TestApp;
  let address = '';
  let client = '';
  let browser: FormBrowser;
  const email = 'page@example.test';
  before(async () => {
    const port = await freePort();
    address = `http://127.0.0.1:${port}`;
    app = await openTestApp({ PLOIDY_PORT: String(port), PLOIDY_PUBLIC_URL: publicUrl });
    const body = { name: markup, callbackUrls: [callback], logoutUrls: ['https://app.example/goodbye'] };
    const headers = {
      authorization: app.key,
      'service-account': app.account,
      'content-type': 'application/json',
    };
    const made = await fetch(`${address}/v1/clients`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    client = ((await made.json()) as { id: string }).id;
    await makePerson({ ...app, address }, email);
    browser = new FormBrowser(address);
  });
  after(() => app?.stop());

  const authorization = (more: Record<string, string> = {}) =>
    `/v1/oauth/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: client,
      redirect_uri: callback,
      code_challenge: 'A'.repeat(43),
      code_challenge_method: 'S256',
      ...more,
    })}`;
  const marked = encodeURIComponent(markup);

  // asvs: 3.3.1, 3.3.2, 3.3.3, 3.3.4
  test('a session cookie is bound to this host, to https and hidden from scripts; so is that of a form', async () => {
    const page = await browser.open(authorization());
    assert.match(
      page.headers.get('set-cookie') ?? '',
      /^__Host-ploidy-form=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=3600$/,
    );
    const sent = await browser.submit(page, signInPath, { email, password }, own);
    assert.equal(sent.status, 302, sent.text);
    const [session = '', device = ''] = sent.headers.getSetCookie();
    assert.match(
      session,
      /^__Host-ploidy-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=604800$/,
    );
    assert.match(device, /^__Host-ploidy-device=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age/);
    assert.equal(new URL(sent.location ?? '').searchParams.get('iss'), `${publicUrl}/v1`);
    const bare = new FormBrowser(address);
    bare.cookies.set('ploidy-session', browser.cookies.get('__Host-ploidy-session') ?? '');
    assert.equal((await bare.open('/v1/accounts')).status, 401, 'a neighbour can set a name without __Host-');
    assert.equal((await browser.open('/v1/accounts')).status, 200);
  });

  // asvs: 1.1.2, 1.2.1
  test('no page can be framed, cached or run scripts, and all input is escaped', async () => {
    const stranger = new FormBrowser(address);
    const form = await stranger.open(authorization({ login_hint: markup, state: markup }));
    const forgotten = await stranger.open('/v1/oauth/forgotten-password');
    const pages: Record<string, Shown> = {
      'sign in': form,
      'without an application': await stranger.open(signInPath),
      'wrong password': await stranger.submit(form, signInPath, { email: markup, password: 'wrong' }, own),
      'stale form': await stranger.submit(form, signInPath, { email: markup, password, proof: markup }, own),
      'too long': await stranger.submit(form, signInPath, { email: 'x'.repeat(9000), password }, own),
      'second step': await stranger.post(
        '/v1/oauth/second-step',
        { request: markup, proof: 'x', step: markup, code: markup.slice(0, 40) },
        own,
      ),
      fault: await stranger.open(`/v1/oauth/authorize?client_id=${marked}`),
      twice: await stranger.open(`/v1/oauth/authorize?${marked}=1&${marked}=2`),
      forgotten,
      'email sent': await stranger.submit(
        forgotten,
        '/v1/oauth/forgotten-password',
        { email: `"'><script>@example.test` },
        own,
      ),
      'link that is none': await stranger.open(`/v1/set-up/password?token=${marked}`),
      'logout that is none': await stranger.open(`/v1/oauth/logout?client_id=${marked}&state=${marked}`),
      'signed out': await stranger.open('/v1/oauth/logout'),
      'sign out?': await browser.open(`/v1/oauth/logout?client_id=${client}&state=${marked}`),
      saml: await stranger.open(`/v1/saml/sign-in?request=${marked}`),
      'saml answer': await stranger.post('/v1/saml/acs', { SAMLResponse: markup, RelayState: markup }),
      'saml finish': await stranger.open(`/v1/saml/finish?handle=${marked.slice(0, 90)}`),
      security: await browser.open(`/v1/security?done=${encodeURIComponent(markup.slice(0, 20))}`),
      enrolment: await browser.open('/v1/security/second-factor'),
      'not signed in': await stranger.open('/v1/security'),
    };
    for (const [what, { status, headers, text }] of Object.entries(pages)) {
      assert.match(headers.get('content-type') ?? '', /^text\/html/, `${what}: ${status} ${text}`);
      assert.ok(status < 500, what);
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; style-src 'nonce-[^']+'; form-action 'self'/, what);
      assert.match(policy, /frame-ancestors 'none'; base-uri 'none'$/, what);
      assert.doesNotMatch(policy, /unsafe|\*|script-src/, what);
      assert.equal(headers.get('x-frame-options'), 'DENY', what);
      assert.equal(headers.get('cache-control'), 'no-store', what);
      assert.equal(headers.get('x-content-type-options'), 'nosniff', what);
      assert.match(headers.get('referrer-policy') ?? '', /^(no-referrer|same-origin)$/, what);
      assert.doesNotMatch(text, /<script|<img|"'>/, what);
      assert.ok(!text.includes(password) && !text.includes('name="password" value'), what);
    }
    assert.ok(
      pages['sign in']?.text.includes('&quot;&#39;&gt;&lt;img'),
      'the name of the application is shown, as text',
    );
  });

  // asvs: 6.2.6, 6.2.7
  test('a form for a new password names its user for password managers, in a preceding text field', async () => {
    const { token } = await app.people.link('stored@example.test');
    const choose = await new FormBrowser(address).open(`/v1/set-up/password?token=${token}`);
    const change = await browser.open('/v1/security');
    for (const [shown, whose] of [
      [choose, 'stored@example.test'],
      [change, email],
    ] as const) {
      const [form = ''] = shown.text.split('<form').filter((one) => one.includes('new-password'));
      const name = form.indexOf('autocomplete="username"');
      assert.ok(name > 0 && name < form.indexOf('type="password"'), form);
      assert.match(
        form,
        new RegExp(`<input class="away" type="text" name="username" value="${whose}"[^>]* readonly`),
      );
      assert.ok(!/type="hidden"[^>]*autocomplete/.test(form));
    }
  });

  test('a user at another than the public address sees both addresses instead of a loop', async () => {
    const form = await new FormBrowser(address).open(signInPath);
    const body = new URLSearchParams({ ...hiddenOf(form.text, signInPath), email, password });
    // Without TLS the browser keeps no cookie there and sends only the origin.
    const send = (headers: Record<string, string>) =>
      fetch(address + signInPath, { method: 'POST', body, headers, redirect: 'manual' });
    const refusal = await (await send({ origin: 'http://10.0.0.5:8080' })).text();
    assert.match(refusal, /set up as https:\/\/ploidy\.example; you used http:\/\/10\.0\.0\.5:8080\./);
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
      { origin: publicUrl },
    ])
      assert.match(await (await send(headers)).text(), /open for too long/, JSON.stringify(headers));
  });

  test('a form of another origin, or of another name of the host, has no effect', async () => {
    const page = await browser.open('/v1/security');
    const change = { current: password, password: `${password} 2`, repeated: `${password} 2` };
    const fields = {
      '/v1/security/password': change,
      '/v1/security/recovery-codes': { current: password },
      '/v1/security/second-factor/remove': { current: password },
      '/v1/security/sessions': { id: 'x' },
    };
    const proof = /name="proof" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    assert.ok(proof);
    for (const [path, body] of Object.entries(fields))
      for (const headers of [
        { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        { origin: 'https://other.ploidy.example', 'sec-fetch-site': 'same-site' },
        { origin: 'null', 'sec-fetch-site': 'cross-site' },
      ])
        assert.equal(
          (await browser.post(path, { ...body, proof }, headers)).status,
          403,
          `${path} ${headers.origin}`,
        );
    const stale = await browser.post('/v1/security/password', { ...change, proof: 'A'.repeat(43) }, own);
    assert.equal(stale.status, 400);
    assert.match(stale.text, /open for too long/);
    const signed = new FormBrowser(address);
    const form = await signed.open(signInPath);
    assert.equal(
      (await signed.submit(form, signInPath, { email, password }, own)).status,
      302,
      'the password is as it was',
    );
  });
});
