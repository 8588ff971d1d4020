/** Users of an identity provider, and their rights. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { until } from '../../../../../../../test/support/until.ts';
import { addMember } from '../../../identity/groups/index.ts';
import { proveEmail } from '../../../identity/users/index.ts';
import { makeClient } from '../../sign-in/tests/signed-in.fixture.ts';
import { begin, codeOf, finish, post, responseTo, signIn, visit } from './saml-browser.fixture.ts';
import { TestProvider } from './saml-provider.fixture.ts';

describeApp(
  'users of SAML sign-in',
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

    test('a new person gets a user with minimal rights, and the same user next time', async () => {
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

    test('ten concurrent first sign-ins of one person create one user', async () => {
      const all = await Promise.all(
        Array.from({ length: 10 }, () => signIn(app, provider, client.id, { nameId: 'crowd' })),
      );
      for (const seen of all) assert.ok(codeOf(seen));
      assert.equal((await identities()).filter((one) => one.subject === 'nameId:crowd').length, 1);
    });

    test('tokens work in the account of the client only, and name the method of sign-in', async () => {
      const owner = await app.people.owner('elsewhere');
      const everywhere = await app.people.member('elsewhere', []);
      const { email } = await app.people.records.read
        .selectFrom('users')
        .select('email')
        .where('id', '=', everywhere.userId)
        .executeTakeFirstOrThrow();
      // Makes the user a member of the account of the client as well.
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
      assert.equal(JSON.parse(linked?.profile ?? '{}').name, undefined, 'the profile is not overwritten');
      assert.notEqual(owner.userId, everywhere.userId);
      assert.ok((await events()).some((one) => one === 'signIn.done done {"methods":"saml"}'));
    });

    test('the address of a user outside the account creates a new user of this account, and reveals nothing', async () => {
      const stranger = await app.people.owner('strangers');
      const attributes = { mail: 'Owner@strangers.test' };
      const taken = await signIn(app, provider, client.id, { nameId: 'thief', attributes });
      const free = await signIn(app, provider, client.id, { nameId: 'honest' });
      assert.ok(codeOf(taken) && codeOf(free));
      const namesakes = await app.people.records.read
        .selectFrom('users')
        .select(['id', 'email_claimed_by'])
        .where('email', '=', 'owner@strangers.test')
        .orderBy('id')
        .execute();
      assert.deepEqual(namesakes.map((one) => one.email_claimed_by).sort(), [app.account, null]);
      assert.equal(namesakes.find((one) => one.email_claimed_by === null)?.id, stranger.userId);
      const made = (await identities()).find((one) => one.subject === 'nameId:thief');
      assert.notEqual(made?.user_id, stranger.userId);
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
      const asUser = { key, account: undefined };
      assert.deepEqual((await app.call('GET', '/v1/invitations', asUser)).body.items, []);
      assert.equal((await app.call('GET', `/v1/invitations/${invitation}`, asUser)).status, 404);
      const accepting = { ...asUser, body: { status: 'ACCEPTED' } };
      assert.equal((await app.call('PATCH', `/v1/invitations/${invitation}`, accepting)).status, 404);
      await app.people.records.transact(async (tx) => {
        await proveEmail(tx, user?.id ?? '');
        await app.people.records.announce(tx, `user:${user?.id}`);
      });
      await until(
        async () => (await app.call('GET', `/v1/invitations/${invitation}`, asUser)).status === 200,
        'the invitation is visible',
      );
    });

    // asvs: 10.3.4
    test('a session by a provider cannot change the user’s other sign-in methods', async () => {
      const seen = await signIn(app, provider, client.id, { nameId: 'limited' });
      codeOf(seen);
      const cookie = seen.cookies.find((one) => one.startsWith('ploidy-session=')) ?? '';
      const asked = await visit(`${app.address}/v1/security`, { headers: { cookie } });
      assert.equal(asked.status, 403, asked.text);
      assert.match(asked.text, /one account/);
    });

    test('a user removed from the account does not return without an invitation', async () => {
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

    // asvs: 6.8.1
    test('an equal NameID of another provider or in another account is another person', async () => {
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

    test('a transient NameID does not identify a person', async () => {
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

    test('the claims of ADFS and Entra ID become the fields of a profile', async () => {
      const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
      const attributes = {
        [`${claims}/emailaddress`]: 'adfs@provider.example',
        [`${claims}/givenname`]: 'Ada',
        [`${claims}/surname`]: 'Lovelace',
        [`${claims}/upn`]: 'ada@corp.example',
      };
      codeOf(await signIn(app, provider, client.id, { nameId: 'adfs', attributes }));
      const ofEntra = { mail: 'entra@provider.example', [`${claims}/name`]: 'ada@tenant.example' };
      codeOf(await signIn(app, provider, client.id, { nameId: 'entra', attributes: ofEntra }));
      assert.deepEqual(JSON.parse((await userOf('adfs@provider.example'))?.profile ?? ''), {
        familyName: 'Lovelace',
        givenName: 'Ada',
        preferredUsername: 'ada@corp.example',
      });
      assert.deepEqual(JSON.parse((await userOf('entra@provider.example'))?.profile ?? ''), {
        preferredUsername: 'ada@tenant.example',
      });
    });

    test('attributes are mapped as the client configures, else by their usual names', async () => {
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
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' },
);
