/** SAML sign-in in a browser where another user is signed in. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { TokenFlow } from '../../oauth/tests/token-flow.fixture.ts';
import { FormBrowser, hiddenOf, makePerson, signInTo } from '../../sign-in/tests/form-browser.fixture.ts';
import { callback } from '../../sign-in/tests/signed-in.fixture.ts';
import { begin, codeOf, post, responseTo } from './saml-browser.fixture.ts';
import { type ResponseFields, TestProvider } from './saml-provider.fixture.ts';

const finishPath = '/v1/saml/finish';

describeApp(
  'SAML with another signed-in user',
  (app) => {
    let provider: TestProvider;
    let client = '';
    let person = '';
    const email = 'present@hospital.test';

    before(async () => {
      provider = await new TestProvider().open();
      person = await makePerson(app, email);
      const { key } = await app.people.owner('cats');
      const body = {
        name: 'Cats',
        callbackUrls: [callback],
        identityProviders: ['SAML'],
        customIdentityProvider: { metadataUrl: provider.metadataUrl },
      };
      client = (await app.call('POST', '/v1/clients', { key, account: 'cats', body })).body.id;
    });
    after(() => provider.close());

    /** Leads a browser through the provider; returns the page of `finish`. */
    const ledThrough = async (browser: FormBrowser, nameId: string, change: Partial<ResponseFields> = {}) => {
      const begun = await begin(app, client, { cookie: browser.cookie });
      browser.cookies.set(...(begun.cookie.split('=') as [string, string]));
      const accepted = await post(
        app,
        responseTo(app, provider, begun, { ...change, nameId }),
        begun.relayState,
      );
      return browser.open(accepted.location);
    };
    const whoIs = async (browser: FormBrowser) =>
      JSON.parse((await browser.open('/v1/user')).text).profile?.email;
    const signedInBrowser = async () => {
      const browser = new FormBrowser(app.address);
      assert.equal((await signInTo(browser, email)).status, 302);
      return browser;
    };

    test('no session is replaced or ended before confirmation', async () => {
      const browser = await signedInBrowser();
      const flow = await TokenFlow.open(app);
      const own = new TokenFlow(
        app,
        person,
        `ploidy-session=${browser.cookies.get('ploidy-session')}`,
        flow.client,
      );
      const tokens = await own.signIn();
      const shown = await ledThrough(browser, 'puppet');
      assert.equal(shown.status, 200);
      assert.match(shown.text, /Sign in as another user\?/);
      for (const expected of [email, 'puppet@provider.example', 'Cats'])
        assert.ok(shown.text.includes(expected));
      assert.match(
        shown.headers.get('content-security-policy') ?? '',
        /form-action 'self' https:\/\/app\.example/,
      );
      assert.equal(await whoIs(browser), email);
      assert.equal(await own.works(tokens.access_token), 200);

      const { handle = '', proof = '' } = hiddenOf(shown.text, finishPath);
      assert.equal((await new FormBrowser(app.address).post(finishPath, { handle, proof })).status, 403);
      assert.equal(await whoIs(browser), email);

      const gone = await browser.submit(shown, finishPath, {});
      assert.ok(codeOf({ ...gone, location: gone.location ?? '', cookies: [] }));
      assert.equal(await whoIs(browser), 'puppet@provider.example');
      assert.equal(await own.works(tokens.access_token), 401);
      assert.equal((await browser.submit(shown, finishPath, {})).status, 403, 'once');
    });

    const usersOf = (address: string) =>
      app.people.records.read
        .selectFrom('users')
        .select(['id', 'email_claimed_by'])
        .where('email', '=', address)
        .execute();

    test('without confirmation no user is created or linked', async () => {
      const shown = await ledThrough(await signedInBrowser(), 'never');
      assert.match(shown.text, /did not start this sign-in/);
      assert.deepEqual(await usersOf('never@provider.example'), []);
      const led = app.people.records.read.selectFrom('saml_identities').select('id');
      assert.deepEqual(await led.where('subject', '=', 'nameId:never').execute(), []);
    });

    test('another user with the same address is distinguished by the account to which the sign-in is limited', async () => {
      const browser = await signedInBrowser();
      for (const _ of ['to be made', 'there']) {
        const shown = await ledThrough(browser, 'look-alike', { attributes: { mail: email } });
        assert.equal(shown.status, 200, shown.text);
        const account = '<strong>cats</strong> (cats)';
        assert.ok(shown.text.includes(`another user, known by this address only in the account ${account}`));
        assert.match(shown.text, /limited to that account/);
        assert.match(shown.text, /Continue as the other user/);
        assert.equal(JSON.parse((await browser.open('/v1/user')).text).id, person);
        assert.equal((await browser.submit(shown, finishPath, {})).status, 302);
        assert.notEqual(JSON.parse((await browser.open('/v1/user')).text).id, person);
        assert.equal((await usersOf(email)).length, 2);
        browser.cookies.delete('ploidy-session');
        await signInTo(browser, email);
      }
    });

    test('a confirmation after the end of the provider’s session does not sign in', async (t) => {
      const browser = await signedInBrowser();
      const sessionNotOnOrAfter = new Date(Date.now() + 60_000);
      const shown = await ledThrough(browser, 'late', { sessionNotOnOrAfter });
      assert.equal(shown.status, 200, shown.text);
      const now = Date.now;
      t.mock.method(Date, 'now', () => now() + 61_000);
      const late = await browser.submit(shown, finishPath, {});
      assert.deepEqual([late.status, /SAML_EXPIRED/.test(late.text)], [403, true]);
      assert.equal(await whoIs(browser), email);
    });

    test('a form of another session or site asks again, and can then be confirmed', async () => {
      const browser = await signedInBrowser();
      const shown = await ledThrough(browser, 'puppet-2');
      browser.cookies.delete('ploidy-session');
      await signInTo(browser, email);
      const other = await browser.submit(shown, finishPath, {});
      const elsewhere = { origin: 'https://cats.example', 'sec-fetch-site': 'cross-site' };
      const again = await browser.submit(other, finishPath, {}, elsewhere);
      for (const one of [other, again]) {
        assert.equal(one.status, 200, one.text);
        assert.match(one.text, /role="alert"/);
      }
      assert.equal(await whoIs(browser), email);
      assert.equal((await browser.submit(again, finishPath, {})).status, 302);
      assert.equal(await whoIs(browser), 'puppet-2@provider.example');
    });

    test('without a session, or with one of the same user, no confirmation is asked for', async () => {
      const browser = new FormBrowser(app.address);
      for (const _ of ['first', 'once more']) {
        const seen = await ledThrough(browser, 'regular');
        assert.equal(seen.status, 302, seen.text);
        assert.equal(await whoIs(browser), 'regular@provider.example');
      }
    });
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' },
);
