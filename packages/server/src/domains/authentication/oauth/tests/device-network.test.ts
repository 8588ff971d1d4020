/** Consent to a program in another network than the browser's: its code has to be typed (RFC 8628 §5.4). */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { FormBrowser, makePerson, type Shown, signInTo } from '../../sign-in/tests/form-browser.fixture.ts';
import { postForm } from '../../sign-in/tests/signed-in.fixture.ts';

const email = 'networks@example.test';
const client_id = 'ploidy-command-line';
const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
const elsewhere = { 'x-forwarded-for': '203.0.113.9' };

describeApp(
  'consent to a program in another network',
  (app) => {
    let browser: FormBrowser;

    before(async () => {
      await makePerson(app, email);
      browser = new FormBrowser(app.address);
      await signInTo(browser, email);
    });

    const begin = async (headers: Record<string, string>) =>
      (await postForm(app, '/v1/oauth/device_authorization', { client_id }, headers)).body;
    const tokens = async (device_code: string) =>
      (await postForm(app, '/v1/oauth/token', { grant_type, client_id, device_code })).body;
    const isAllowable = ({ text }: Shown) => text.includes('value="allow"');

    test('a link of another network cannot be allowed, and names the address and the time', async () => {
      const { device_code, verification_uri_complete, user_code } = await begin(elsewhere);
      const shown = await browser.open(verification_uri_complete);
      assert.equal(isAllowable(shown), false);
      assert.equal(shown.text.includes(user_code), false, 'the page does not show what is to be typed');
      assert.match(shown.text, /203\.0\.113\.9.*min ago \(\d{4}-\d\d-\d\d \d\d:\d\d UTC\)/);
      const answer = await browser.submit(shown, '/v1/device', { user_code, decision: 'allow' });
      assert.equal(answer.status, 400, 'the form of the typed code allows nothing');
      assert.equal((await tokens(device_code)).error, 'authorization_pending');
    });

    test('the code that was typed leads to the consent, and that to tokens', async () => {
      const { device_code, verification_uri_complete, user_code } = await begin(elsewhere);
      const shown = await browser.open(verification_uri_complete);
      const wrong = await browser.submit(shown, '/v1/device', { user_code: 'BBBB-BBBB', decision: 'look' });
      assert.deepEqual([wrong.status, isAllowable(wrong)], [400, false]);
      const consent = await browser.submit(shown, '/v1/device', { user_code, decision: 'look' });
      assert.ok(isAllowable(consent));
      assert.match(consent.text, /203\.0\.113\.9/);
      await browser.submit(consent, '/v1/device', { decision: 'allow' });
      assert.equal(typeof (await tokens(device_code)).access_token, 'string');
    });

    test('the consent of one code allows no other', async () => {
      const near = await begin({});
      const far = await begin(elsewhere);
      const consent = await browser.open(near.verification_uri_complete);
      assert.ok(isAllowable(consent));
      const answer = await browser.submit(consent, '/v1/device', {
        user_code: far.user_code,
        decision: 'allow',
      });
      assert.equal(answer.status, 400);
      assert.equal((await tokens(far.device_code)).error, 'authorization_pending');
    });

    test('a program of another network that opened a browser is not allowed by its link', async () => {
      const { headers } = await fetch(`${app.address}/v1/statement`, { method: 'POST', body: 'SELECT 1' });
      const [, page = ''] = /x_redirect_server="([^"]+)"/.exec(headers.get('www-authenticate') ?? '') ?? [];
      const ended = new AbortController();
      const waits = fetch(`${page}/token`, { headers: elsewhere, signal: ended.signal }).catch(
        () => undefined,
      );
      const { location = '' } = await browser.open(page);
      assert.equal(isAllowable(await browser.open(location)), false);
      ended.abort();
      await waits;
    });
  },
  { PLOIDY_TRUSTED_PROXIES: '127.0.0.1' },
);
