/** Limits of SAML sign-ins: the session, and its grants. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decodeJwt } from 'jose';
import { type CallOptions, describeApp } from '../../../../../../../test/support/app.ts';
import { TokenFlow } from '../../oauth/tests/token-flow.fixture.ts';
import { FormBrowser, makePerson, password, signInTo } from '../../sign-in/tests/form-browser.fixture.ts';
import { authorize, callback, makeClient, pkce, signedIn } from '../../sign-in/tests/signed-in.fixture.ts';
import { begin, codeOf, finish, post, responseTo, type Seen, visit } from './saml-browser.fixture.ts';
import { type ResponseFields, TestProvider } from './saml-provider.fixture.ts';

const hourMs = 3_600_000;

describeApp(
  'sessions of SAML sign-in',
  (app) => {
    let provider: TestProvider;
    before(async () => {
      provider = await new TestProvider().open();
    });
    after(() => provider.close());
    const newClient = (more: object = {}) =>
      makeClient(app, {
        identityProviders: ['SAML', 'PASSWORD'],
        customIdentityProvider: { metadataUrl: provider.metadataUrl },
        ...more,
      });

    /** Signs in and redeems the code; `cookie` is that of the session. */
    const signIn = async (clientId: string, change: Partial<ResponseFields>, own = '') => {
      const { verifier, challenge } = pkce();
      const begun = await begin(app, clientId, { more: challenge });
      const accepted = await post(app, responseTo(app, provider, begun, change), begun.relayState);
      const seen: Seen = await finish(app, accepted, [begun.cookie, own].filter(Boolean).join('; '));
      const cookie = seen.cookies.find((one) => one.startsWith('ploidy-session=')) ?? '';
      const flow = new TokenFlow(app, '', cookie, { id: clientId });
      const { status, body, text } = await flow.exchange(clientId, codeOf(seen), verifier);
      assert.equal(status, 200, text);
      return { cookie, tokens: body, flow };
    };
    test('a session is as old as the authentication at the provider, and never from the future', async () => {
      const client = await newClient();
      const before = new Date(Math.floor(Date.now() / 1000) * 1000 - 9 * hourMs);
      const { cookie, tokens } = await signIn(client.id, { nameId: 'long-ago', authenticatedAt: before });
      assert.equal(Number(decodeJwt(tokens.id_token)['auth_time']) * 1000, before.getTime());
      const ask = { response_type: 'code', client_id: client.id, redirect_uri: callback };
      const silent = { ...ask, ...pkce().challenge, prompt: 'none' };
      const young = await authorize(app, { ...silent, max_age: '60' }, cookie);
      assert.equal(young.location?.searchParams.get('error'), 'login_required');
      const old = await authorize(app, { ...silent, max_age: String((10 * hourMs) / 1000) }, cookie);
      assert.ok(old.location?.searchParams.get('code'));
      const ahead = await signIn(client.id, {
        nameId: 'ahead',
        authenticatedAt: new Date(Date.now() + 20_000),
      });
      assert.ok(Number(decodeJwt(ahead.tokens.id_token)['auth_time']) * 1000 <= Date.now());
    });

    test('a client whose callback address is the console signs people in to it', async () => {
      const console = `${app.address}/`;
      const client = await newClient({ identityProviders: ['SAML'], callbackUrls: [console] });
      const begun = await begin(app, client.id, { more: { redirect_uri: console } });
      const given = responseTo(app, provider, begun, { nameId: 'of-the-ward' });
      const seen = await finish(app, await post(app, given, begun.relayState), begun.cookie);
      assert.ok(seen.location.startsWith(`${console}?`), seen.location);
      const cookie = seen.cookies.find((one) => one.startsWith('ploidy-session=')) ?? '';
      const headers = { cookie };
      for (const path of ['user', 'accounts']) {
        const answer = await visit(`${console}v1/${path}`, { headers });
        assert.equal(answer.status, 200, answer.text);
      }
    });

    test('a sign-in by another method keeps the grants, with their limits', async () => {
      const client = await newClient();
      const email = 'both@hospital.test';
      const person = await makePerson(app, email);
      const bySaml = { nameId: 'both', attributes: { mail: email } };
      const browser = new FormBrowser(app.address);
      await signInTo(browser, email);
      const session = () => `ploidy-session=${browser.cookies.get('ploidy-session')}`;
      const flow = new TokenFlow(app, person, session(), await makeClient(app, { name: 'By password' }));
      const given = await flow.signIn();

      const limited = await signIn(client.id, bySaml, session());
      assert.equal(
        (await visit(`${app.address}/v1/accounts`, { headers: { cookie: session() } })).status,
        401,
      );
      assert.equal(await flow.works(given.access_token), 200);
      const renewed = (await flow.refresh(given.refresh_token)).body;
      const security = { headers: { cookie: limited.cookie } };
      assert.equal(
        (await visit(`${app.address}/v1/security`, security)).status,
        403,
        'it proved one account',
      );

      browser.cookies.set('ploidy-session', limited.cookie.split('=')[1] ?? '');
      const again = new URLSearchParams({
        response_type: 'code',
        client_id: flow.client.id,
        redirect_uri: callback,
        prompt: 'login',
        ...pkce().challenge,
      });
      const form = await browser.open(`/v1/oauth/authorize?${again}`);
      assert.equal((await browser.submit(form, '/v1/oauth/sign-in', { email, password })).status, 302);
      const grants = await app.people.records.read
        .selectFrom('grants')
        .innerJoin('sessions', 'sessions.id', 'grants.session_id')
        .select([
          'grants.only_account',
          'sessions.only_account as of_session',
          'sessions.ended_at',
          'grants.revoked_at',
        ])
        .where('grants.user_id', '=', person)
        .execute();
      assert.equal(grants.length, 3);
      for (const one of grants)
        assert.deepEqual(one, {
          only_account: app.account,
          of_session: null,
          ended_at: null,
          revoked_at: null,
        });
      assert.equal(await flow.works(limited.tokens.access_token), 200);
      assert.equal(await flow.works(renewed.access_token), 200);
    });

    // asvs: 7.6.1
    test('a session ends at the provider’s time, despite refreshes', async () => {
      const client = await newClient({ allowedOAuthFlows: ['code', 'implicit'] });
      const endsAt = Math.floor(Date.now() / 1000) * 1000 + 600_000;
      const { flow, tokens, cookie } = await signIn(client.id, {
        nameId: 'short',
        sessionNotOnOrAfter: new Date(endsAt),
      });
      const ends = (token: string) => Number(decodeJwt(token).exp) * 1000;
      for (const one of [tokens, (await flow.refresh(tokens.refresh_token)).body]) {
        assert.ok(ends(one.access_token) <= endsAt && ends(one.id_token) <= endsAt);
        assert.ok(one.expires_in > 0 && one.expires_in <= 600);
      }
      const implicit = await authorize(
        app,
        { response_type: 'token', client_id: client.id, redirect_uri: callback },
        cookie,
      );
      assert.ok(Number(implicit.location?.searchParams.get('expires_in')) <= 600);
      const grants = () =>
        app.people.records.read
          .selectFrom('grants')
          .select(['id', 'expires_at', 'ends_at'])
          .where('client_id', '=', client.id)
          .execute();
      const given = await grants();
      assert.equal(given.length, 2);
      for (const one of given) assert.deepEqual([one.expires_at, one.ends_at], [endsAt, endsAt]);
      const last = (await flow.refresh(tokens.refresh_token)).body.refresh_token;
      await app.people.records.transact((tx) =>
        tx
          .updateTable('grants')
          .set({ expires_at: Date.now() - 1, ends_at: Date.now() - 1 })
          .where('client_id', '=', client.id)
          .execute(),
      );
      assert.equal((await flow.refresh(last)).body.error, 'invalid_grant');
    });

    test('without an end set by the provider a grant ends with the longest session; grants by password continue', async () => {
      const client = await newClient();
      const { tokens } = await signIn(client.id, { nameId: 'weekly' });
      const flow = await TokenFlow.open(app);
      await flow.refresh((await flow.signIn()).refresh_token);
      const ofClient = (id: string) =>
        app.people.records.read
          .selectFrom('grants')
          .innerJoin('sessions', 'sessions.id', 'grants.session_id')
          .select(['grants.ends_at', 'sessions.expires_at'])
          .where('client_id', '=', id)
          .executeTakeFirstOrThrow();
      const bySaml = await ofClient(client.id);
      assert.equal(bySaml.ends_at, bySaml.expires_at);
      assert.equal(tokens.expires_in, 3600);
      assert.equal((await ofClient(flow.client.id)).ends_at, null);
    });

    test('an API key created in such a session has its limits, and so have keys created with it', async () => {
      const client = await newClient();
      const email = 'keyed@hospital.test';
      const person = await makePerson(app, email);
      const admins = (await app.call('GET', `/v1/accounts/${app.account}?include=groups`)).body.groups.find(
        (one: { name: string }) => one.name === 'Administrators',
      ).id;
      const joined = await app.call('PUT', `/v1/account/groups/${admins}/members/${person}`);
      assert.ok(joined.status < 300, joined.text);
      const { cookie } = await signIn(client.id, { nameId: 'keyed', attributes: { mail: email } });
      const make = async (more: CallOptions): Promise<string> => {
        const body = { name: 'Key', expireInDays: 1 };
        const made = await app.call('POST', '/v1/api-keys', { body, ...more });
        assert.equal(made.status, 200, made.text);
        return made.body.key;
      };
      const bySession = { key: undefined, headers: { cookie, origin: app.address } };
      const first = await make(bySession);
      const change = (key: string) =>
        app.call('PATCH', '/v1/user', { key, account: undefined, body: { profile: { name: 'Changed' } } });
      for (const key of [first, await make({ key: first })]) {
        assert.equal((await app.call('GET', '/v1/projects', { key })).status, 200);
        assert.deepEqual((await change(key)).body.code, 'ONLY_ONE_ACCOUNT');
        const body = { name: 'Mine' };
        const account = await app.call('POST', '/v1/accounts', { key, account: undefined, body });
        assert.equal(account.body.code, 'ONLY_ONE_ACCOUNT');
      }
      const own = await make({
        key: undefined,
        headers: { cookie: await signedIn(app, person), origin: app.address },
      });
      assert.equal((await change(own)).status, 200);
    });

    const losses: Record<string, (id: string, other: string) => Promise<{ status: number }>> = {
      'the provider is taken away': (id) =>
        app.call('PUT', `/v1/clients/${id}`, {
          body: { identityProviders: ['PASSWORD'], customIdentityProvider: null },
        }),
      'signing in by it is switched off': (id) =>
        app.call('PUT', `/v1/clients/${id}`, { body: { identityProviders: ['PASSWORD'] } }),
      'it is another one': (id, other) =>
        app.call('PUT', `/v1/clients/${id}`, { body: { customIdentityProvider: { metadataUrl: other } } }),
      'the client is deleted': (id) => app.call('DELETE', `/v1/clients/${id}`),
    };
    for (const [what, lose] of Object.entries(losses))
      test(`sessions by a provider end, and pending sign-ins fail, when ${what}`, async () => {
        const other = await new TestProvider().open();
        try {
          const client = await newClient();
          const neighbour = await newClient();
          const nameId = `lost-${client.id}`;
          const mine = await signIn(client.id, { nameId });
          const atNeighbour = await signIn(neighbour.id, { nameId: `kept-${client.id}` });
          const ask = { response_type: 'code', client_id: neighbour.id, redirect_uri: callback };
          const { verifier, challenge } = pkce();
          const { location } = await authorize(app, { ...ask, ...challenge }, mine.cookie);
          const code = location?.searchParams.get('code') ?? '';
          const elsewhere = (await mine.flow.exchange(neighbour.id, code, verifier)).body;
          const begun = await begin(app, client.id);
          const accepted = await post(app, responseTo(app, provider, begun, { nameId }), begun.relayState);
          assert.ok(
            (await app.call('PUT', `/v1/clients/${client.id}`, { body: { name: 'Renamed' } })).status < 300,
          );
          assert.equal(await mine.flow.works(mine.tokens.access_token), 200, 'another name ends nothing');

          assert.ok((await lose(client.id, other.metadataUrl)).status < 300);
          const me = (cookie: string) => visit(`${app.address}/v1/accounts`, { headers: { cookie } });
          assert.equal((await me(mine.cookie)).status, 401);
          for (const { access_token } of [mine.tokens, elsewhere])
            assert.equal(await mine.flow.works(access_token), 401);
          const late = await finish(app, accepted, begun.cookie);
          assert.deepEqual([late.status, late.cookies], [403, []]);
          assert.equal((await me(atNeighbour.cookie)).status, 200);
          assert.equal(await atNeighbour.flow.works(atNeighbour.tokens.access_token), 200);
        } finally {
          await other.close();
        }
      });
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' },
);
