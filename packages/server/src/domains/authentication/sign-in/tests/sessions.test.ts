/** Sessions of browsers as credentials of all APIs, and their management. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { until } from '../../../../../../../test/support/until.ts';
import { TokenFlow } from '../../oauth/tests/token-flow.fixture.ts';
import { Sessions } from '../sessions/index.ts';
import { eventsOf, FormBrowser, hiddenOf, makePerson, password, signInTo } from './form-browser.fixture.ts';

const main = { 'service-account': 'main' };

describeApp('sessions on the APIs', (app) => {
  const email = 'browsing@example.test';
  let user = '';
  before(async () => {
    user = await makePerson(app, email);
  });
  const signedIn = async (): Promise<FormBrowser> => {
    const browser = new FormBrowser(app.address);
    assert.equal((await signInTo(browser, email)).status, 302);
    return browser;
  };
  const send = (
    browser: FormBrowser,
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ) => app.call(method, path, { key: undefined, headers: { cookie: browser.cookie, ...headers }, body });
  const key = { name: 'Made in a browser', expireInDays: 1 };

  // asvs: 7.2.1, 7.2.2
  test('the cookie has the rights of its user; the Authorization header takes precedence', async () => {
    const browser = await signedIn();
    const accounts = await browser.open('/v1/accounts');
    assert.deepEqual(
      JSON.parse(accounts.text).accounts.map(({ id }: { id: string }) => id),
      ['main'],
    );
    assert.equal((await browser.open('/v1/projects', main)).status, 200);
    assert.equal((await browser.open('/v1/clients', main)).status, 403);
    assert.equal((await browser.open('/v1/accounts', { authorization: 'Bearer wrong' })).status, 401);
    const asAdmin = await browser.open('/v1/clients', { ...main, authorization: app.key });
    assert.equal(asAdmin.status, 200);
    const cookieAsToken = { authorization: `Bearer ${browser.cookies.get('ploidy-session')}` };
    assert.equal((await fetch(`${app.address}/v1/accounts`, { headers: cookieAsToken })).status, 401);
    assert.equal(
      (await fetch(`${app.address}/v1/accounts`, { headers: { cookie: `ploidy-session=${app.key}` } }))
        .status,
      401,
    );
  });

  // asvs: 3.5.1, 3.5.2, 3.5.3
  test('a change must come from a page of this service: the cookie alone changes nothing', async () => {
    const browser = await signedIn();
    const refused = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${app.address}.evil.example` },
      { 'sec-fetch-site': 'cross-site', origin: app.address },
    ] as Record<string, string>[];
    for (const headers of refused) {
      const reply = await send(browser, 'POST', '/v1/api-keys', { ...main, ...headers }, key);
      assert.equal(reply.status, 403, JSON.stringify(headers));
      assert.equal(reply.body.code, 'FOREIGN_PAGE');
    }
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { origin: app.address }] as Record<
      string,
      string
    >[]) {
      const reply = await send(browser, 'POST', '/v1/api-keys', { ...main, ...headers }, key);
      assert.equal(reply.status, 200, reply.text);
    }
    const nobody = new FormBrowser(app.address);
    nobody.cookies.set('ploidy-session', 'A'.repeat(43));
    assert.equal((await send(nobody, 'POST', '/v1/api-keys', main, key)).status, 401);
  });

  test('a session ended in another process is refused at once, with its grants', async () => {
    const browser = await signedIn();
    const flow = await TokenFlow.open(app);
    const own = new TokenFlow(
      app,
      user,
      `ploidy-session=${browser.cookies.get('ploidy-session')}`,
      flow.client,
    );
    const tokens = await own.signIn();
    const other = await signedIn();
    assert.equal((await browser.open('/v1/accounts')).status, 200);
    const list = await other.open('/v1/sessions');
    const sessions: { id: string; current: boolean; methods: string[] }[] = JSON.parse(list.text).items;
    assert.equal(sessions.filter(({ current }) => current).length, 1);
    assert.equal(sessions[0]?.current, true, 'newest first');
    assert.doesNotMatch(list.text, /token/i);
    const id = sessions[1]?.id ?? '';
    const own403 = await send(other, 'DELETE', `/v1/sessions/${id}`, {});
    assert.equal(own403.status, 403);
    assert.equal((await send(other, 'DELETE', `/v1/sessions/${id}`, { origin: app.address })).status, 204);
    assert.equal((await browser.open('/v1/accounts')).status, 401);
    assert.equal(await own.works(tokens.access_token), 401);
    assert.equal((await send(other, 'DELETE', `/v1/sessions/${id}`, { origin: app.address })).status, 404);
    // Over separate connections, as another process.
    const { records } = app.people;
    const elsewhere = new Sessions(records, { lifeMs: 1000, idleMs: 1000 });
    await records.transact((tx) => elsewhere.end(tx, user, {}));
    await until(async () => (await other.open('/v1/accounts')).status === 401, 'the end of the session');
    assert.ok((await eventsOf(app, user)).includes('sessions.end'));
  });

  test('users neither see nor end the sessions of others', async () => {
    const stranger = new FormBrowser(app.address);
    await makePerson(app, 'stranger@example.test');
    await signInTo(stranger, 'stranger@example.test');
    await signedIn();
    const rows = await app.people.records.read
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', user)
      .execute();
    const list = (await stranger.open('/v1/sessions')).text;
    for (const { id } of rows) {
      assert.ok(!list.includes(id));
      assert.equal(
        (await send(stranger, 'DELETE', `/v1/sessions/${id}`, { origin: app.address })).status,
        404,
      );
      const fields = { ...hiddenOf((await stranger.open('/v1/security')).text, '/v1/security/password'), id };
      assert.equal((await stranger.post('/v1/security/sessions', fields)).status, 404);
    }
  });

  test('credentials for one account do not manage the sign-in', async () => {
    const { records } = app.people;
    const sessions = new Sessions(records, { lifeMs: 3_600_000, idleMs: 3_600_000 });
    const limited = new FormBrowser(app.address);
    const begun = await records.transact((tx) =>
      sessions.begin(tx, {
        userId: user,
        methods: ['saml'],
        onlyAccount: 'main',
        userAgent: '',
        address: '',
      }),
    );
    limited.cookies.set('ploidy-session', begun.token);
    assert.equal((await limited.open('/v1/accounts')).status, 200);
    for (const path of ['/v1/sessions', '/v1/security', '/v1/security/second-factor'])
      assert.equal((await limited.open(path)).status, 403, path);
    const body = { currentPassword: password, password: 'another good password' };
    assert.equal(
      (await send(limited, 'PUT', '/v1/user/password', { origin: app.address }, body)).status,
      403,
    );
    assert.equal((await app.call('GET', '/v1/sessions')).status, 403, 'an API key');
    // Nor an invitation received from another account.
    const { key } = await app.people.owner('elsewhere');
    const group = (
      await app.call('GET', '/v1/accounts/elsewhere?include=groups', { key, account: 'elsewhere' })
    ).body.groups[0].id;
    const invited = await app.call('POST', '/v1/invitations', {
      key,
      account: 'elsewhere',
      body: { email, group },
    });
    assert.equal(invited.status, 200, invited.text);
    const origin = { origin: app.address };
    const refused = [
      await send(limited, 'PATCH', `/v1/invitations/${invited.body.id}`, origin, { status: 'ACCEPTED' }),
      await send(limited, 'PATCH', '/v1/user', origin, { profile: { name: 'Another' } }),
      await send(limited, 'POST', '/v1/accounts', origin, { name: 'Another', id: 'another' }),
      await send(limited, 'DELETE', `/v1/users/${user}/picture`, origin),
    ];
    assert.deepEqual(
      refused.map(({ status }) => status),
      [404, 403, 403, 403],
    );
    assert.equal((await send(limited, 'GET', `/v1/users/${user}/groups`, {})).status, 200);
    const received = await send(limited, 'GET', '/v1/invitations', {});
    assert.deepEqual([received.status, received.body.items], [200, []], received.text);
    assert.equal((await (await signedIn()).open('/v1/invitations')).text.includes(invited.body.id), true);
  });

  // asvs: 6.2.2, 6.2.3, 7.4.3, 7.5.1
  test('a new password needs the current one and ends all other sessions and their grants', async () => {
    const changing = 'changing@example.test';
    const id = await makePerson(app, changing);
    const [here, there] = [new FormBrowser(app.address), new FormBrowser(app.address)];
    for (const browser of [here, there]) await signInTo(browser, changing);
    const flow = await TokenFlow.open(app);
    const flowOf = (browser: FormBrowser) =>
      new TokenFlow(app, id, `ploidy-session=${browser.cookies.get('ploidy-session')}`, flow.client);
    const mine = await flowOf(here).signIn();
    const theirs = await flowOf(there).signIn();
    const change = (body: object) => send(here, 'PUT', '/v1/user/password', { origin: app.address }, body);
    const next = 'a better password';
    assert.equal((await change({ currentPassword: password, password: 'short' })).status, 400);
    // The earlier name of the field.
    const guessed = await change({ presentPassword: 'guessed guessed', password: next });
    assert.equal(guessed.body.code, 'WRONG_PASSWORD');
    const missing = await change({ password: next });
    assert.deepEqual([missing.status, missing.body.details?.[0]?.path], [400, 'body/currentPassword']);
    assert.equal((await change({ currentPassword: password, password: next })).status, 204);
    assert.equal((await here.open('/v1/accounts')).status, 200);
    assert.equal((await there.open('/v1/accounts')).status, 401);
    assert.equal(await flow.works(mine.access_token), 200);
    assert.equal(await flow.works(theirs.access_token), 401);
    const page = await here.open('/v1/security');
    const action = '/v1/security/password';
    const fields = { current: 'guessed guessed', password, repeated: password };
    const wrong = await here.submit(page, action, fields);
    assert.match(wrong.text, /Your current password is not correct/);
    assert.match(
      (await here.submit(page, action, { ...fields, repeated: 'x' })).text,
      /The two passwords differ/,
    );
    const foreign = { ...fields, current: next };
    assert.equal((await here.submit(page, action, { ...foreign, proof: 'x' })).status, 400);
    assert.equal((await here.submit(page, action, foreign, { 'sec-fetch-site': 'same-site' })).status, 403);
    assert.equal((await here.submit(page, action, foreign)).location, '/v1/security?done=password');
    assert.match(
      (await here.open('/v1/security?done=password')).text,
      /role="status">Your password is changed/,
    );
    assert.equal((await signInTo(there, changing)).status, 302);
  });

  test('guessing the current password from a stolen browser is delayed', async () => {
    const found = await signedIn();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 12 && statuses.at(-1) !== 429; attempt++) {
      const body = { currentPassword: 'guessed guessed', password: 'a better password' };
      statuses.push((await send(found, 'PUT', '/v1/user/password', { origin: app.address }, body)).status);
    }
    assert.equal(statuses.at(-1), 429, statuses.join());
    await app.people.records.transact((tx) => tx.deleteFrom('sign_in_delays').execute());
  });

  test('a browser without a session is led to the sign-in by a page with status 401, and back', async () => {
    const browser = new FormBrowser(app.address);
    const reply = await browser.open('/v1/security');
    assert.equal(reply.status, 401);
    const address = '/v1/oauth/sign-in?return=security';
    assert.equal(reply.headers.get('refresh'), `0; url=${address}`);
    assert.match(reply.text, /href="\/v1\/oauth\/sign-in\?return=security"/);
    const form = await browser.open(address);
    const wrong = await browser.submit(form, '/v1/oauth/sign-in', { email, password: 'not the password' });
    const sent = await browser.submit(wrong, '/v1/oauth/sign-in', { email, password });
    assert.deepEqual([sent.status, sent.location], [302, '/v1/security']);
    assert.equal((await browser.open(address)).location, '/v1/security');
    const other = await new FormBrowser(app.address).open('/v1/oauth/sign-in?return=elsewhere');
    assert.match(other.text, /name="request" value=""/);
  });

  // asvs: 10.4.9
  test('signing out of another browser works from the page, which escapes its user agent', async () => {
    const [here, there] = [await signedIn(), new FormBrowser(app.address)];
    const page = await there.open('/v1/oauth/sign-in', { 'user-agent': '<script>alert(1)</script>' });
    await there.submit(
      page,
      '/v1/oauth/sign-in',
      { email, password },
      { 'user-agent': '"><script>x</script>' },
    );
    const overview = await here.open('/v1/security');
    assert.doesNotMatch(overview.text, /<script/);
    const sent = await here.submit(overview, '/v1/security/sessions', {});
    assert.equal(sent.location, '/v1/security?done=session');
    assert.equal((await there.open('/v1/accounts')).status, 401);
  });
});
