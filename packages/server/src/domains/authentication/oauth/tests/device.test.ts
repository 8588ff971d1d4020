/** Sign-in of a device without a browser (RFC 8628): approved by a user, by what the page shows, once. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { FormBrowser, makePerson, signInTo } from '../../sign-in/tests/form-browser.fixture.ts';
import { postForm } from '../../sign-in/tests/signed-in.fixture.ts';

const email = 'shell@example.test';
const client_id = 'ploidy-command-line';
const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';

describeApp('sign-in of a device', (app) => {
  before(async () => void (await makePerson(app, email)));

  const begin = async () => (await postForm(app, '/v1/oauth/device_authorization', { client_id })).body;
  const tokens = (device_code: string) =>
    postForm(app, '/v1/oauth/token', { grant_type, client_id, device_code });
  const signedIn = async (): Promise<FormBrowser> => {
    const browser = new FormBrowser(app.address);
    await signInTo(browser, email);
    return browser;
  };
  const decide = async (user_code: string, decision: string) => {
    const browser = await signedIn();
    const page = await browser.open(`/v1/device?user_code=${user_code}`);
    return { page, answer: await browser.submit(page, '/v1/device', { decision }) };
  };

  // asvs: 6.6.2
  test('a device has tokens once its user allowed it, and only once', async () => {
    const { device_code, user_code, interval, verification_uri } = await begin();
    assert.match(user_code, /^[B-Z]{4}-[B-Z]{4}$/);
    assert.deepEqual([interval, new URL(verification_uri).pathname], [5, '/v1/device']);
    assert.equal((await tokens(device_code)).body.error, 'authorization_pending');
    assert.equal((await tokens(device_code)).body.error, 'slow_down');
    const { page, answer } = await decide(user_code, 'allow');
    assert.match(page.text, /127\.0\.0\.1/);
    assert.match(answer.text, /signed in/);
    const replies = await Promise.all([1, 2, 3, 4].map(() => tokens(device_code)));
    const granted = replies.filter(({ status }) => status === 200);
    assert.equal(granted.length, 1);
    assert.equal((await tokens(device_code)).body.error, 'invalid_grant');
    // A second use may be a theft: it revokes the tokens of the first.
    const key = granted[0]?.body.access_token;
    assert.equal((await app.call('GET', '/v1/accounts', { key })).status, 401);
  });

  test('the tokens of an allowed device work in the accounts of its user', async () => {
    const { device_code, user_code } = await begin();
    await decide(user_code.toLowerCase().replace('-', ' '), 'allow');
    const { body } = await tokens(device_code);
    assert.equal((await app.call('GET', '/v1/accounts', { key: body.access_token })).status, 200);
  });

  test('a denied device gets access_denied, and its code cannot be allowed any more', async () => {
    const { device_code, user_code } = await begin();
    await decide(user_code, 'deny');
    assert.equal((await tokens(device_code)).body.error, 'access_denied');
    const again = await (await signedIn()).open(`/v1/device?user_code=${user_code}`);
    assert.equal(again.status, 400);
  });

  test('without a session, or without the form of the page, nothing is allowed', async () => {
    const { device_code, user_code } = await begin();
    const stranger = await new FormBrowser(app.address).open(`/v1/device?user_code=${user_code}`);
    assert.match(stranger.text, /Sign in first/);
    const forged = { user_code, proof: 'guessed', decision: 'allow' };
    await postForm(app, '/v1/device', forged);
    assert.equal((await tokens(device_code)).body.error, 'authorization_pending');
  });

  /** Both addresses of the challenge of a statement without a key. */
  const challenged = async (): Promise<{ page: string; token: string }> => {
    const { status, headers } = await fetch(`${app.address}/v1/statement`, {
      method: 'POST',
      body: 'SELECT 1',
    });
    const challenge = headers.get('www-authenticate') ?? '';
    const [, page = '', token = ''] =
      /^Bearer realm="ploidy", x_redirect_server="([^"]+)", x_token_server="([^"]+)"$/.exec(challenge) ?? [];
    assert.deepEqual([status, token], [401, `${page}/token`]);
    return { page, token };
  };
  /** Asks for the token of a program that opened the browser, as clients of Trino do. */
  const awaited = async (address: string): Promise<{ token?: string; error?: string }> => {
    for (let next: string | undefined = address; next !== undefined; ) {
      const { nextUri, ...end } = (await (await fetch(next)).json()) as Record<string, string>;
      if (nextUri === undefined) return end;
      next = nextUri;
    }
    return {};
  };
  const followed = async (browser: FormBrowser, page: string) =>
    browser.open((await browser.open(page)).location ?? '');
  const decideInBrowser = async (page: string, decision: string): Promise<string> => {
    const browser = await signedIn();
    const shown = await followed(browser, page);
    return (await browser.submit(shown, '/v1/device', { decision })).text;
  };

  test('a client of Trino has a token once its user allowed it in the browser, and only once', async () => {
    const { page, token: address } = await challenged();
    const [end, answer] = await Promise.all([awaited(address), decideInBrowser(page, 'allow')]);
    assert.match(answer, /signed in/);
    const send = (token = '') =>
      fetch(`${app.address}/v1/statement`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: 'SHOW CATALOGS',
      });
    assert.equal((await send(end.token)).status, 200);
    // A second use may be a theft: it revokes the token of the first.
    assert.match((await awaited(address)).error ?? '', /not valid/);
    assert.equal((await send(end.token)).status, 401);
  });

  test('a client of Trino whose user denied it is notified', async () => {
    const { page, token: address } = await challenged();
    const [end] = await Promise.all([awaited(address), decideInBrowser(page, 'deny')]);
    assert.deepEqual(end, { error: 'The user denied the request.' });
  });

  test('a page whose program never asks for its token leads to no request', async () => {
    const { page } = await challenged();
    const answer = await (await signedIn()).open(page);
    assert.match(answer.text, /No program waits for this page/);
  });

  // asvs: 6.6.3
  test('wrong codes delay their user', async () => {
    const browser = await signedIn();
    const attempts = Array.from({ length: 12 }, () => browser.open('/v1/device?user_code=BBBB-BBBB'));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    assert.deepEqual([...new Set(statuses)].sort(), [400, 429]);
  });

  test('an unknown code and another client are refused, and the 25th request of an address is not', async () => {
    assert.equal((await tokens('guessed')).body.error, 'invalid_grant');
    const other = await postForm(app, '/v1/oauth/device_authorization', { client_id: 'nobody' });
    assert.equal(other.body.error, 'invalid_client');
    for (let attempt = 0; attempt < 25; attempt += 1)
      assert.equal((await postForm(app, '/v1/oauth/device_authorization', { client_id })).status, 200);
  });
});
