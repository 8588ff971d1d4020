/** Sign-in by the identity provider of a client. */
import assert from 'node:assert/strict';
import { createVerify, X509Certificate } from 'node:crypto';
import { after, before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { makeClient } from '../../sign-in/tests/signed-in.fixture.ts';
import { SamlRequests } from '../requests.ts';
import {
  authorizationQuery,
  begin,
  codeOf,
  finish,
  post,
  responseTo,
  signIn,
  visit,
} from './saml-browser.fixture.ts';
import { readRedirect, TestProvider } from './saml-provider.fixture.ts';

describeApp(
  'SAML sign-in',
  (app) => {
    let provider: TestProvider;
    let client: { id: string };
    const newClient = (more: object = {}) =>
      makeClient(app, {
        identityProviders: ['SAML'],
        allowedOAuthFlows: ['code', 'implicit'],
        customIdentityProvider: { metadataUrl: provider.metadataUrl },
        ...more,
      });
    const userOf = (email: string) =>
      app.people.records.read.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();

    before(async () => {
      provider = await new TestProvider().open();
      client = await newClient();
    });
    after(() => provider.close());

    test('the request is signed by the key of the metadata, for this provider and this service', async () => {
      const { location } = await begin(app, client.id);
      const { xml, url, relayState } = readRedirect(location);
      assert.equal(`${url.origin}${url.pathname}`, 'https://provider.example/sso');
      assert.equal(url.searchParams.get('tenant'), '1');
      assert.match(relayState, /^[\w-]{43}$/, 'no address, no longer than 80 bytes');
      assert.ok(
        xml.includes(
          `<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${app.address}/v1/saml/metadata<`,
        ),
      );
      assert.ok(xml.includes(`AssertionConsumerServiceURL="${app.address}/v1/saml/acs"`));
      assert.ok(xml.includes('Destination="https://provider.example/sso?tenant=1"'));
      const raw = Object.fromEntries(
        url.search
          .slice(1)
          .split('&')
          .map((one) => one.split('=') as [string, string]),
      );
      const text = ['SAMLRequest', 'RelayState', 'SigAlg'].map((name) => `${name}=${raw[name]}`).join('&');
      const metadata = await visit(`${app.address}/v1/saml/metadata`);
      const [, base64 = ''] = /<ds:X509Certificate>([^<]+)</.exec(metadata.text) ?? [];
      const { publicKey } = new X509Certificate(Buffer.from(base64, 'base64'));
      const signature = Buffer.from(url.searchParams.get('Signature') ?? '', 'base64');
      assert.ok(createVerify('RSA-SHA256').update(text).verify(publicKey, signature));
    });

    test('a provider that accepts only POST gets a form that works without scripts', async () => {
      const posting = await new TestProvider().open();
      try {
        posting.binding = 'HTTP-POST';
        const theirs = await newClient({ customIdentityProvider: { metadataUrl: posting.metadataUrl } });
        const request = encodeURIComponent(authorizationQuery(theirs.id));
        const seen = await visit(`${app.address}/v1/saml/sign-in?request=${request}`);
        assert.equal(seen.status, 200);
        assert.match(
          seen.headers.get('content-security-policy') ?? '',
          /form-action https: https:\/\/provider\.example;/,
        );
        const field = (name: string) =>
          new RegExp(`name="${name}" value="([^"]+)"`).exec(seen.text)?.[1] ?? '';
        const xml = Buffer.from(field('SAMLRequest'), 'base64').toString();
        assert.match(xml, /<Signature xmlns="http:\/\/www\.w3\.org\/2000\/09\/xmldsig#">/);
        const requestId = /\bID="([^"]+)"/.exec(xml)?.[1] ?? '';
        const begun = {
          requestId,
          relayState: field('RelayState'),
          cookie: seen.cookies[0] ?? '',
          location: '',
        };
        const accepted = await post(
          app,
          responseTo(app, posting, begun, { nameId: 'posted' }),
          begun.relayState,
        );
        assert.ok(codeOf(await finish(app, accepted, begun.cookie)));
      } finally {
        await posting.close();
      }
    });

    const anHourAgo = () => ({ nameId: 'asked', authenticatedAt: new Date(Date.now() - 3_600_000) });
    const dayS = String(24 * 3600);

    // asvs: 6.8.4
    for (const more of [
      { prompt: 'login' },
      { prompt: 'login', max_age: dayS },
      { prompt: 'select_account', max_age: dayS },
      { max_age: '600' },
    ])
      test(`an application that requires it makes the provider authenticate again, and an old authentication is refused: ${JSON.stringify(more)}`, async () => {
        const begun = await begin(app, client.id, { more });
        assert.match(readRedirect(begun.location).xml, /ForceAuthn="true"/);
        const stale = await finish(
          app,
          await post(app, responseTo(app, provider, begun, anHourAgo()), begun.relayState),
          begun.cookie,
        );
        assert.match(stale.text, /SAML_NOT_ASKED_AGAIN/);
        const anew = await begin(app, client.id, { more });
        codeOf(
          await finish(
            app,
            await post(app, responseTo(app, provider, anew, { nameId: 'asked' }), anew.relayState),
            anew.cookie,
          ),
        );
      });

    test('an authentication younger than max_age is accepted', async () => {
      const begun = await begin(app, client.id, { more: { max_age: dayS } });
      codeOf(
        await finish(
          app,
          await post(app, responseTo(app, provider, begun, anHourAgo()), begun.relayState),
          begun.cookie,
        ),
      );
    });

    test('the session ends at the provider’s time', async () => {
      const endsAt = Math.floor(Date.now() / 1000) * 1000 + 600_000;
      codeOf(
        await signIn(app, provider, client.id, { nameId: 'short', sessionNotOnOrAfter: new Date(endsAt) }),
      );
      const user = await userOf('short@provider.example');
      const session = await app.people.records.read
        .selectFrom('sessions')
        .select(['expires_at', 'only_account', 'methods'])
        .where('user_id', '=', user?.id ?? '')
        .executeTakeFirstOrThrow();
      assert.deepEqual(session, { expires_at: endsAt, only_account: app.account, methods: '["saml"]' });
    });

    test('two sign-ins of one browser, in two tabs, both succeed', async () => {
      const first = await begin(app, client.id);
      const second = await begin(app, client.id, { cookie: first.cookie });
      assert.equal(second.cookie, first.cookie);
      for (const begun of [second, first])
        codeOf(
          await finish(
            app,
            await post(app, responseTo(app, provider, begun, { nameId: 'tabs' }), begun.relayState),
            begun.cookie,
          ),
        );
    });

    test('a deleted client leaves nothing of its provider, and its sign-ins end', async () => {
      const gone = await newClient();
      const begun = await begin(app, gone.id);
      await app.call('DELETE', `/v1/clients/${gone.id}`);
      const seen = await post(app, responseTo(app, provider, begun), begun.relayState);
      assert.match(seen.text, /SAML_UNSOLICITED/);
      const rows = app.people.records.read.selectFrom('saml_providers').select('client_id');
      assert.ok(!(await rows.execute()).some((one) => one.client_id === gone.id));
    });

    test('a network with a thousand unfinished sign-ins begins no more, until they have expired', async () => {
      const { records } = app.people;
      const begun = await begin(app, client.id);
      const one = await records.read
        .selectFrom('saml_requests')
        .selectAll()
        .where('id', '=', begun.requestId)
        .executeTakeFirstOrThrow();
      const rows = Array.from({ length: 1000 }, (_, index) => ({
        ...one,
        id: `_many${index}`,
        relay_hash: `many${index}`,
      }));
      const expiresAt = async (expires_at: number) =>
        records.transact(async (tx) => {
          await tx
            .updateTable('saml_requests')
            .set({ expires_at })
            .where('address', '=', one.address)
            .execute();
        });
      await records.transact(async (tx) => {
        for (let at = 0; at < rows.length; at += 100)
          await tx
            .insertInto('saml_requests')
            .values(rows.slice(at, at + 100))
            .execute();
      });
      const request = encodeURIComponent(authorizationQuery(client.id));
      const refused = await visit(`${app.address}/v1/saml/sign-in?request=${request}`);
      assert.deepEqual([refused.status, refused.location], [429, '']);
      assert.match(refused.text, /TOO_MANY_SIGN_INS/);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      await expiresAt(Date.now() - 1);
      await begin(app, client.id);
      // All addresses of a customer's network of IPv6 count together (RFC 6177).
      const requests = new SamlRequests(records, app.app.core.secrets);
      const beginAt = (address: string) =>
        requests.add({
          account_id: one.account_id,
          client_id: one.client_id,
          query: '',
          browser: '',
          address,
        });
      await beginAt('2001:db8:1:2::1');
      await records.transact((tx) =>
        tx
          .updateTable('saml_requests')
          .set({ address: '2001:db8:1::/48', expires_at: Date.now() + 60_000 })
          .where('address', '=', one.address)
          .execute(),
      );
      await assert.rejects(beginAt('2001:db8:1:ffff::9'), { status: 429, code: 'TOO_MANY_SIGN_INS' });
      await beginAt('2001:db8:2::1');
    });

    test('an invalid request, or one of a client without SAML, is refused on a page', async () => {
      const plain = await makeClient(app);
      const wrong = [
        authorizationQuery(plain.id),
        authorizationQuery('nobody'),
        '',
        'client_id=a&client_id=b',
      ];
      for (const query of wrong) {
        const seen = await visit(`${app.address}/v1/saml/sign-in?request=${encodeURIComponent(query)}`);
        assert.equal(seen.status, 400, query);
        assert.match(seen.text, /role="alert"/);
        assert.equal(seen.location, '');
      }
    });
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' },
);
