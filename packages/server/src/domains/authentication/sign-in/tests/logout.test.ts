/** RP-Initiated Logout 1.0: permission to sign out, and redirects. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { TokenFlow } from '../../oauth/tests/token-flow.fixture.ts';
import { eventsOf, FormBrowser, hiddenOf, makePerson, signInTo } from './form-browser.fixture.ts';
import { makeClient } from './signed-in.fixture.ts';

const path = '/v1/oauth/logout';
const goodbye = 'https://app.example/goodbye';

describeApp('logout', (app) => {
  const email = 'leaving@example.test';
  let user = '';
  let client: { id: string };
  before(async () => {
    user = await makePerson(app, email);
    client = await makeClient(app, { logoutUrls: [goodbye, 'https://app.example/?from=here'] });
  });
  const signedIn = async () => {
    const browser = new FormBrowser(app.address);
    await signInTo(browser, email);
    const flow = new TokenFlow(app, user, `ploidy-session=${browser.cookies.get('ploidy-session')}`, client);
    return { browser, flow, tokens: await flow.signIn() };
  };
  const address = (query: Record<string, string>) => `${path}?${new URLSearchParams(query)}`;
  const isIn = async (browser: FormBrowser) => (await browser.open('/v1/accounts')).status === 200;

  test('an id token of the session signs out at once, redirects with state, and ends the grants', async () => {
    const { browser, flow, tokens } = await signedIn();
    const query = { id_token_hint: tokens.id_token, post_logout_redirect_uri: goodbye, state: 'a b&c' };
    const reply = await browser.open(address(query));
    assert.equal(reply.status, 302);
    assert.equal(reply.location, `${goodbye}?state=a+b%26c`);
    assert.match(reply.headers.get('set-cookie') ?? '', /^ploidy-session=; .*Max-Age=0$/);
    assert.equal(await isIn(browser), false);
    assert.equal(await flow.works(tokens.access_token), 401);
    assert.equal((await flow.refresh(tokens.refresh_token)).body.error, 'invalid_grant');
    assert.ok((await eventsOf(app, user)).includes('signIn.out'));
    const again = await browser.open(
      address({ ...query, post_logout_redirect_uri: 'https://app.example/?from=here' }),
    );
    assert.equal(
      again.location,
      'https://app.example/?from=here&state=a+b%26c',
      'nobody is signed in: nothing to end',
    );
  });

  // asvs: 7.4.1
  test('a copy of a cleared cookie is invalid', async () => {
    const { browser, tokens } = await signedIn();
    const kept = browser.cookies.get('ploidy-session') ?? '';
    await browser.open(address({ id_token_hint: tokens.id_token }));
    const thief = new FormBrowser(app.address);
    thief.cookies.set('ploidy-session', kept);
    assert.equal(await isIn(thief), false);
  });

  // asvs: 10.6.2
  test('without an id token of this session confirmation is required, from this browser only', async () => {
    const { tokens: others } = await signedIn();
    const { browser } = await signedIn();
    for (const query of [
      {},
      { client_id: client.id },
      { client_id: client.id, post_logout_redirect_uri: goodbye },
      { id_token_hint: others.id_token },
    ] as Record<string, string>[]) {
      const page = await browser.open(address(query));
      assert.equal(page.status, 200, JSON.stringify(query));
      assert.match(page.text, /<h1>Sign out\?<\/h1>/);
      assert.ok(await isIn(browser), JSON.stringify(query));
    }
    const page = await browser.open(
      address({ client_id: client.id, post_logout_redirect_uri: goodbye, state: 's' }),
    );
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /form-action 'self' https:\/\/app\.example/,
    );
    const stranger = new FormBrowser(app.address);
    await signInTo(stranger, email);
    const foreign = hiddenOf((await stranger.open(path)).text, path);
    assert.equal((await browser.post(path, foreign)).status, 200, 'the proof of another browser');
    assert.equal((await browser.submit(page, path, { state: 'other' })).status, 200);
    const cross = await browser.submit(page, path, {}, { 'sec-fetch-site': 'cross-site' });
    assert.equal(cross.status, 200);
    assert.ok(await isIn(browser));
    const done = await browser.submit(page, path, {});
    assert.equal(done.location, `${goodbye}?state=s`);
    assert.equal(await isIn(browser), false);
  });

  // asvs: 3.7.2
  test('an unregistered address gets no redirect and no sign-out', async () => {
    const { browser, tokens } = await signedIn();
    const other = await makeClient(app);
    const wrong: Record<string, string>[] = [
      ...[
        'https://evil.example/',
        `${goodbye}/`,
        `${goodbye}?x`,
        'javascript:alert(1)',
        '//evil.example',
      ].map((post_logout_redirect_uri) => ({ id_token_hint: tokens.id_token, post_logout_redirect_uri })),
      { post_logout_redirect_uri: goodbye },
      { client_id: other.id, post_logout_redirect_uri: goodbye },
      { client_id: 'nobody', post_logout_redirect_uri: goodbye },
      { client_id: other.id, id_token_hint: tokens.id_token },
      { client_id: other.id, id_token_hint: 'a.b.c', post_logout_redirect_uri: goodbye },
    ];
    for (const query of wrong) {
      const reply = await browser.open(address(query));
      assert.equal(reply.status, 400, JSON.stringify(query));
      assert.equal(reply.location, undefined);
      assert.match(reply.text, /role="alert"/);
    }
    assert.ok(await isIn(browser));
  });

  test('an unverifiable hint has no effect: confirmation is asked for, and the redirect must be registered', async () => {
    const { browser, tokens } = await signedIn();
    for (const id_token_hint of ['a.b.c', tokens.access_token, `${tokens.id_token}x`])
      for (const more of [{}, { post_logout_redirect_uri: goodbye }, { client_id: client.id }]) {
        const shown = await browser.open(address({ id_token_hint, ...more }));
        assert.equal(shown.status, 200, shown.text);
        assert.match(shown.text, /<h1>Sign out\?<\/h1>/);
        assert.ok(await isIn(browser));
      }
    const unnamed = address({ id_token_hint: 'a.b.c', post_logout_redirect_uri: goodbye });
    const done = await browser.submit(await browser.open(unnamed), path, {});
    assert.deepEqual([done.status, done.location], [200, undefined]);
    assert.equal(await isIn(browser), false);
    const nobody = await browser.open(unnamed);
    assert.deepEqual([nobody.status, nobody.location], [200, undefined]);
    const again = await signedIn();
    const named = address({
      id_token_hint: 'a.b.c',
      client_id: client.id,
      post_logout_redirect_uri: goodbye,
    });
    const left = await again.browser.submit(await again.browser.open(named), path, {});
    assert.equal(left.location, goodbye);
  });

  test('a form, also a cross-site one, has the effect of GET', async () => {
    const { browser, tokens } = await signedIn();
    const fields = { id_token_hint: tokens.id_token, post_logout_redirect_uri: goodbye };
    const asked = await browser.post(path, fields, {
      'sec-fetch-site': 'cross-site',
      origin: 'https://app.example',
    });
    assert.equal(asked.status, 302);
    const reply = await browser.open(asked.location ?? '');
    assert.equal(reply.location, goodbye);
    assert.equal(await isIn(browser), false);
  });
});
