/** Signing in through SAML in a browser where somebody else is signed in. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeApp } from '../support/app.ts';
import { FormBrowser, hiddenOf, makePerson, signInTo } from './form-browser.ts';
import { begin, codeOf, post, responseTo } from './saml-browser.ts';
import { TestProvider } from './saml-provider.ts';
import { callback } from './signed-in.ts';
import { TokenFlow } from './token-flow.ts';

const finishPath = '/v1/saml/finish';

describeApp(
  'SAML where somebody else is signed in',
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

    /** A browser that is led through the provider; what `finish` shows. */
    const ledThrough = async (browser: FormBrowser, nameId: string) => {
      const begun = await begin(app, client, { cookie: browser.cookie });
      browser.cookies.set(...(begun.cookie.split('=') as [string, string]));
      const accepted = await post(app, responseTo(app, provider, begun, { nameId }), begun.relayState);
      return browser.open(accepted.location);
    };
    const whoIs = async (browser: FormBrowser) =>
      JSON.parse((await browser.open('/v1/user')).text).profile?.email;
    const signedInBrowser = async () => {
      const browser = new FormBrowser(app.address);
      assert.equal((await signInTo(browser, email)).status, 302);
      return browser;
    };

    test('nobody is replaced, and nothing of his ends, before he says so', async () => {
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
      assert.match(shown.text, /Sign in as somebody else\?/);
      for (const told of [email, 'puppet@provider.example', 'Cats']) assert.ok(shown.text.includes(told));
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

    test('a form of another session, or that comes from elsewhere, is asked anew, and can then be answered', async () => {
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

    test('without a session, and in the same person’s, nothing is asked', async () => {
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
