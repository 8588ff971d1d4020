/** Consent to the command line: given by a user, never by a link. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import {
  FormBrowser,
  hiddenOf,
  makePerson,
  password,
  type Shown,
  signInTo,
} from '../../sign-in/tests/form-browser.fixture.ts';
import { pkce, postForm } from '../../sign-in/tests/signed-in.fixture.ts';

const consentPath = '/v1/oauth/command-line';
const signInPath = '/v1/oauth/sign-in';
const email = 'types@example.test';

describeApp('consent to the command line', (app) => {
  before(async () => void (await makePerson(app, email)));

  const { verifier, challenge } = pkce();
  const client_id = 'ploidy-command-line';
  const redirect_uri = 'http://127.0.0.1:50000/callback';
  const link = (more: Record<string, string> = {}) =>
    `/v1/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id, redirect_uri, ...challenge, ...more })}`;
  const signedIn = async (): Promise<FormBrowser> => {
    const browser = new FormBrowser(app.address);
    await signInTo(browser, email);
    return browser;
  };
  const codeIn = ({ location }: Shown) => new URL(location ?? 'none:').searchParams.get('code');
  const tokensFor = (code: string | null) =>
    postForm(app, '/v1/oauth/token', {
      grant_type: 'authorization_code',
      client_id,
      redirect_uri,
      code: code ?? '',
      code_verifier: verifier,
    });

  // asvs: 7.6.2, 10.7.2
  test('a signed-in user is asked and consents by the form of the page; the tokens work in all own accounts', async () => {
    const browser = await signedIn();
    const page = await browser.open(link());
    assert.equal(page.status, 200);
    assert.match(page.text, /Allow the command line\?/);
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    const reply = await tokensFor(codeIn(await browser.submit(page, consentPath, {})));
    assert.equal(reply.status, 200, reply.text);
    assert.equal((await app.call('GET', '/v1/accounts', { key: reply.body.access_token })).status, 200);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { body: {} } : {};
      assert.equal((await app.call(method, `/v1/clients/${client_id}`, body)).status, 404);
    }
  });

  test('signing in for the command line is consent, with a notice before', async () => {
    const browser = new FormBrowser(app.address);
    const page = await browser.open(link());
    assert.match(page.text, /go on only if you have just typed <code>ploidy login<\/code>/);
    assert.ok(codeIn(await browser.submit(page, signInPath, { email, password })));
  });

  test('no link and no form of another page gets a code of a signed-in user', async () => {
    const browser = await signedIn();
    const silent = new URL((await browser.open(link({ prompt: 'none' }))).location ?? '');
    assert.deepEqual(
      [silent.searchParams.get('error'), silent.searchParams.get('code')],
      ['interaction_required', null],
    );
    const page = await browser.open(link());
    const { request = '', proof = '' } = hiddenOf(page.text, consentPath);
    const elsewhere = await new FormBrowser(app.address).open(link());
    const foreign: [Record<string, string>, Record<string, string>][] = [
      [{ request, proof: 'guessed' }, {}],
      [{ request, proof: hiddenOf(elsewhere.text, signInPath)['proof'] ?? '' }, {}],
      [{ request: `${request}&state=other`, proof }, {}],
      [
        { request, proof },
        { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      ],
    ];
    for (const [fields, headers] of foreign) {
      const again = await browser.post(consentPath, fields, headers);
      assert.deepEqual([again.status, again.location], [400, undefined], JSON.stringify(headers));
      assert.match(again.text, /Please try again/);
    }
    const other = await signedIn();
    other.cookies.set('ploidy-form', browser.cookies.get('ploidy-form') ?? '');
    assert.equal((await other.post(consentPath, { request, proof })).status, 400, 'another session');
    browser.cookies.delete('ploidy-session');
    const signedOut = await browser.post(consentPath, { request, proof });
    assert.match(signedOut.text, /<h1>Sign in<\/h1>/);
  });
});
