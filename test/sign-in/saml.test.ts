/** Signing in through the identity provider of a client, and what it is good for. */
import assert from 'node:assert/strict';
import { createVerify, X509Certificate } from 'node:crypto';
import { after, before, test } from 'node:test';
import { addMember } from '../../packages/server/src/domains/groups/index.ts';
import { proveEmail } from '../../packages/server/src/domains/users/index.ts';
import { describeApp } from '../support/app.ts';
import { until } from '../support/until.ts';
import {
  authorizationQuery,
  begin,
  codeOf,
  finish,
  post,
  responseTo,
  signIn,
  visit,
} from './saml-browser.ts';
import { readRedirect, TestProvider } from './saml-provider.ts';
import { makeClient } from './signed-in.ts';

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
    const identities = () => app.people.records.read.selectFrom('saml_identities').selectAll().execute();
    const userOf = (email: string) =>
      app.people.records.read.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
    const events = async () =>
      (
        await app.people.records.read.selectFrom('audit_events').selectAll().orderBy('sequence').execute()
      ).map(({ action, outcome, details }) => `${action} ${outcome} ${details}`);

    before(async () => {
      provider = await new TestProvider().open();
      client = await newClient();
    });
    after(() => provider.close());

    test('a person whom nobody knew comes in, is made with least rights, and is the same person next time', async () => {
      assert.ok(codeOf(await signIn(app, provider, client.id, { nameId: 'new' })));
      const user = await userOf('new@provider.example');
      assert.deepEqual(JSON.parse(user?.profile ?? ''), {
        familyName: 'Lovelace',
        givenName: 'Ada',
        name: 'Ada L.',
      });
      assert.deepEqual([user?.password_hash, user?.email_verified_at], [null, null]);
      const groups = await app.people.records.read
        .selectFrom('group_members')
        .innerJoin('groups', 'groups.id', 'group_members.group_id')
        .select('groups.name')
        .where('user_id', '=', user?.id ?? '')
        .execute();
      assert.deepEqual(groups, [{ name: 'Subjects' }]);
      const changed = { nameId: 'new', attributes: { mail: 'other@provider.example' } };
      assert.ok(codeOf(await signIn(app, provider, client.id, changed)));
      assert.equal(await userOf('other@provider.example'), undefined);
      assert.equal((await identities()).filter((one) => one.user_id === user?.id).length, 1);
    });

    test('ten first sign-ins of one person at once make one user', async () => {
      const all = await Promise.all(
        Array.from({ length: 10 }, () => signIn(app, provider, client.id, { nameId: 'crowd' })),
      );
      for (const seen of all) assert.ok(codeOf(seen));
      assert.equal((await identities()).filter((one) => one.subject === 'nameId:crowd').length, 1);
    });

    test('tokens are good for the account of the client only, and say how the person signed in', async () => {
      const owner = await app.people.owner('elsewhere');
      const everywhere = await app.people.member('elsewhere', []);
      const { email } = await app.people.records.read
        .selectFrom('users')
        .select('email')
        .where('id', '=', everywhere.userId)
        .executeTakeFirstOrThrow();
      // He belongs to the account of the client as well.
      await app.people.records.transact((tx) =>
        tx
          .insertInto('group_members')
          .columns(['group_id', 'account_id', 'user_id', 'added_at'])
          .expression((where) =>
            where
              .selectFrom('groups')
              .select(({ val }) => [
                'id',
                'account_id',
                val(everywhere.userId).as('user_id'),
                val(1).as('added_at'),
              ])
              .where('account_id', '=', app.account)
              .where('name', '=', 'Users'),
          )
          .execute(),
      );
      const begun = await begin(app, client.id, {
        more: { response_type: 'token', code_challenge: '', code_challenge_method: '' },
      });
      const response = responseTo(app, provider, begun, {
        nameId: 'both',
        attributes: { mail: email, displayName: 'Changed' },
      });
      const seen = await finish(app, await post(app, response, begun.relayState), begun.cookie);
      const key = new URL(seen.location).searchParams.get('access_token') ?? '';
      const accounts = await app.call('GET', '/v1/accounts', { key, account: undefined });
      assert.deepEqual(
        accounts.body.accounts.map((one: { id: string }) => one.id),
        [app.account],
      );
      const foreign = await app.call('GET', '/v1/projects', { key, account: 'elsewhere' });
      assert.equal(foreign.status, 404);
      const linked = await userOf(email);
      assert.equal(linked?.id, everywhere.userId);
      assert.equal(JSON.parse(linked?.profile ?? '{}').name, undefined, 'his profile is his own');
      assert.notEqual(owner.userId, everywhere.userId);
      assert.ok((await events()).some((one) => one === 'signIn.done done {"methods":"saml"}'));
    });

    test('the address of somebody who is no member of the account is refused, and nothing is linked', async () => {
      const before = (await identities()).length;
      const stranger = await app.people.owner('strangers');
      const seen = await signIn(app, provider, client.id, {
        nameId: 'thief',
        attributes: { mail: 'Owner@strangers.test' },
      });
      assert.equal(seen.status, 403);
      assert.match(seen.text, /invitation/);
      assert.ok(!seen.text.includes('strangers'));
      assert.equal((await identities()).length, before);
      assert.equal((await userOf('owner@strangers.test'))?.id, stranger.userId);
      assert.ok((await events()).includes('saml.refuse refused {"code":"SAML_INVITATION_NEEDED"}'));
    });

    test('an address that only the provider vouches for opens no invitation of other accounts until it is proven', async () => {
      const inviter = await app.people.owner('inviters');
      const theirs = { key: inviter.key, account: 'inviters' };
      const { groups } = (await app.call('GET', '/v1/accounts/inviters?include=groups', theirs)).body;
      const body = { group: groups[0].id, email: 'squatter@provider.example' };
      const invitation = (await app.call('POST', '/v1/invitations', { ...theirs, body })).body.id;
      codeOf(await signIn(app, provider, client.id, { nameId: 'squatter' }));
      const user = await userOf('squatter@provider.example');
      const users = await app.people.records.read
        .selectFrom('groups')
        .select('id')
        .where('account_id', '=', app.account)
        .where('name', '=', 'Users')
        .executeTakeFirstOrThrow();
      await app.people.records.transact((tx) =>
        addMember(tx, { id: users.id, account: app.account }, user?.id ?? ''),
      );
      const key = await app.people.key(user?.id ?? '', app.account);
      const his = { key, account: undefined };
      assert.deepEqual((await app.call('GET', '/v1/invitations', his)).body.items, []);
      assert.equal((await app.call('GET', `/v1/invitations/${invitation}`, his)).status, 404);
      const accepting = { ...his, body: { status: 'ACCEPTED' } };
      assert.equal((await app.call('PATCH', `/v1/invitations/${invitation}`, accepting)).status, 404);
      await app.people.records.transact(async (tx) => {
        await proveEmail(tx, user?.id ?? '');
        await app.people.records.announce(tx, `user:${user?.id}`);
      });
      await until(
        async () => (await app.call('GET', `/v1/invitations/${invitation}`, his)).status === 200,
        'the invitation is his',
      );
    });

    test('a session through a provider changes nothing about how somebody signs in elsewhere', async () => {
      const seen = await signIn(app, provider, client.id, { nameId: 'limited' });
      codeOf(seen);
      const cookie = seen.cookies.find((one) => one.startsWith('ploidy-session=')) ?? '';
      const asked = await visit(`${app.address}/v1/security`, { headers: { cookie } });
      assert.equal(asked.status, 403, asked.text);
      assert.match(asked.text, /one account/);
    });

    test('somebody who was removed from the account does not come back by himself', async () => {
      assert.ok(codeOf(await signIn(app, provider, client.id, { nameId: 'removed' })));
      const user = await userOf('removed@provider.example');
      await app.people.records.transact((tx) =>
        tx
          .deleteFrom('group_members')
          .where('user_id', '=', user?.id ?? '')
          .execute(),
      );
      for (const nameId of ['removed', 'removed-again']) {
        const attributes = { mail: 'removed@provider.example' };
        const seen = await signIn(app, provider, client.id, { nameId, attributes });
        assert.equal(seen.status, 403);
        assert.deepEqual(seen.cookies, []);
      }
    });

    test('the same NameID of another provider, or in another account, is somebody else', async () => {
      const other = await new TestProvider().open();
      try {
        const theirs = await newClient({ customIdentityProvider: { metadataUrl: other.metadataUrl } });
        await signIn(app, provider, client.id, { nameId: 'one', attributes: { mail: 'one@a.example' } });
        codeOf(await signIn(app, other, theirs.id, { nameId: 'one', attributes: { mail: 'one@b.example' } }));
        assert.notEqual((await userOf('one@a.example'))?.id, (await userOf('one@b.example'))?.id);
      } finally {
        await other.close();
      }
    });

    test('a NameID that changes each time is not what a person is known by', async () => {
      const nameIdFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
      const attributes = { mail: 'transient@provider.example' };
      for (const nameId of ['_1', '_2'])
        codeOf(await signIn(app, provider, client.id, { nameId, nameIdFormat, attributes }));
      const subjects = (await identities())
        .map((one) => one.subject)
        .filter((one) => one.includes('transient@'));
      assert.deepEqual(subjects, ['email:transient@provider.example']);
      const nameless = await signIn(app, provider, client.id, { nameId: '_3', nameIdFormat, attributes: {} });
      assert.match(nameless.text, /SAML_NO_EMAIL/);
    });

    test('attributes are mapped as the client says, else by their usual names', async () => {
      const attributeMapping = ['urn:x:post=email', 'name=nick'];
      const mapped = await newClient({
        customIdentityProvider: { metadataUrl: provider.metadataUrl, attributeMapping },
      });
      const attributes = {
        'urn:x:post': 'Mapped@Provider.Example',
        mail: 'not-this@provider.example',
        nick: 'Countess',
        displayName: 'not this',
        'urn:oid:2.5.4.42': 'Augusta',
        'urn:oid:0.9.2342.19200300.100.1.1': 'ada',
      };
      codeOf(await signIn(app, provider, mapped.id, { nameId: 'mapped', attributes }));
      const user = await userOf('mapped@provider.example');
      assert.deepEqual(JSON.parse(user?.profile ?? ''), {
        givenName: 'Augusta',
        name: 'Countess',
        preferredUsername: 'ada',
      });
    });

    test('the request is signed by the key of our metadata, for this provider and this service', async () => {
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

    test('a provider that takes only POST gets a form that works without scripts', async () => {
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

    test('when the application wants it, the provider asks again, and an old proof does not do', async () => {
      const more = { prompt: 'login' };
      const begun = await begin(app, client.id, { more });
      assert.match(readRedirect(begun.location).xml, /ForceAuthn="true"/);
      const old = { nameId: 'asked', authenticatedAt: new Date(Date.now() - 3_600_000) };
      const stale = await finish(
        app,
        await post(app, responseTo(app, provider, begun, old), begun.relayState),
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

    test('the session ends when the provider wants it to', async () => {
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

    test('two sign-ins of one browser, in two tabs, both end well', async () => {
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

    test('a request that is not right, or of a client without SAML, is told on a page', async () => {
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
