/** Pages for malformed responses, an address that resembles a member's, and groups of the provider. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { addMember } from '../../../identity/groups/index.ts';
import { makeClient } from '../../sign-in/tests/signed-in.fixture.ts';
import { begin, codeOf, finish, post, responseTo, type Seen, signIn, visit } from './saml-browser.fixture.ts';
import { TestProvider } from './saml-provider.fixture.ts';

const asForm = { 'content-type': 'application/x-www-form-urlencoded' };

describeApp(
  'forms of SAML sign-in',
  (app) => {
    let provider: TestProvider;
    let client: { id: string };
    before(async () => {
      provider = await new TestProvider().open();
      client = await makeClient(app, {
        identityProviders: ['SAML'],
        customIdentityProvider: { metadataUrl: provider.metadataUrl },
      });
    });
    after(() => provider.close());

    /** Asserts an error page with the code for support, without input. */
    const assertRefused = (seen: Seen, code: string): void => {
      assert.equal(seen.status, 400, seen.text);
      assert.match(seen.headers.get('content-type') ?? '', /^text\/html/);
      assert.match(seen.text, new RegExp(`For support: ${code}, `));
      assert.doesNotMatch(seen.text, /marked/);
      assert.deepEqual([seen.location, seen.cookies], ['', []]);
    };

    test('a user joins and leaves the mapped groups of the provider at each sign-in, and no others', async () => {
      const userOf = () =>
        app.people.records.read
          .selectFrom('users')
          .select('id')
          .where('email', '=', 'maps@provider.example')
          .executeTakeFirst();
      const group = async (name: string) =>
        (await app.call('POST', '/v1/account/groups', { body: { name } })).body;
      const [clinic, trial] = [await group('Clinic of maps'), await group('Trial of maps')];
      const wrong = { metadataUrl: provider.metadataUrl, groupMapping: ['nothing'] };
      const refused = await app.call('PUT', `/v1/clients/${client.id}`, {
        body: { customIdentityProvider: wrong },
      });
      assert.equal(
        refused.body.details?.[0]?.path,
        'body/customIdentityProvider/groupMapping/0',
        refused.text,
      );
      const groupMapping = [
        'CN=Doctors,OU=Clinic=Clinic of maps',
        `8a9c-nurses=${clinic.id}`,
        'trial=Trial of maps',
        'none=No such group',
      ];
      const mapped = await makeClient(app, {
        identityProviders: ['SAML'],
        allowedOAuthFlows: ['code', 'implicit'],
        customIdentityProvider: { metadataUrl: provider.metadataUrl, groupMapping },
      });
      const groupsAfter = async (attributes: Record<string, string | string[]>) => {
        const sent = { mail: 'maps@provider.example', ...attributes };
        codeOf(await signIn(app, provider, mapped.id, { nameId: 'maps', attributes: sent }));
        const user = await userOf();
        const rows = await app.people.records.read
          .selectFrom('group_members')
          .innerJoin('groups', 'groups.id', 'group_members.group_id')
          .select('groups.name')
          .where('user_id', '=', user?.id ?? '')
          .execute();
        return rows.map(({ name }) => name).sort();
      };
      const [doctors, others] = ['CN=Doctors,OU=Clinic', 'Everyone'];
      assert.deepEqual(await groupsAfter({ groups: [doctors, others] }), ['Clinic of maps', 'Subjects']);
      assert.deepEqual(await groupsAfter({ memberOf: [others, '8a9c-nurses', 'Trial'] }), [
        'Clinic of maps',
        'Subjects',
        'Trial of maps',
      ]);
      // Entra ID has more groups than it sends: nothing is known.
      const link = { 'http://schemas.microsoft.com/claims/groups.link': 'https://graph.windows.net/x' };
      assert.equal((await groupsAfter(link)).length, 3);
      const given = await userOf();
      const own = await group('Own of maps');
      await app.people.records.transact((tx) =>
        addMember(tx, { id: own.id, account: app.account }, given?.id ?? ''),
      );
      assert.deepEqual(await groupsAfter({ groups: 'trial' }), ['Own of maps', 'Subjects', 'Trial of maps']);
      assert.deepEqual(await groupsAfter({}), ['Own of maps', 'Subjects']);
      const made = await app.people.records.read
        .selectFrom('audit_events')
        .select('action')
        .where('action', 'like', 'saml.%Group')
        .orderBy('sequence')
        .execute();
      assert.deepEqual(
        made.map(({ action }) => action),
        ['saml.joinGroup', 'saml.joinGroup', 'saml.leaveGroup', 'saml.leaveGroup'],
      );
      assert.ok(trial.id);
    });

    test('a malformed form is refused on a page, and does not use up the request', async () => {
      const begun = await begin(app, client.id);
      const right = Buffer.from(responseTo(app, provider, begun, { nameId: 'honest' })).toString('base64');
      const form = new URLSearchParams({ SAMLResponse: right, RelayState: begun.relayState });
      const sent = (body: string | URLSearchParams, headers = asForm) =>
        visit(`${app.address}/v1/saml/acs`, { method: 'POST', body, headers });
      for (const [name, value] of form)
        assertRefused(await sent(`${form}&${name}=${encodeURIComponent(value)}`), 'SAML_MALFORMED');
      assertRefused(await sent(`${form}%00`), 'SAML_MALFORMED');
      assertRefused(await sent(`SAMLResponse=%00marked&RelayState=${begun.relayState}`), 'SAML_MALFORMED');
      const json = { 'content-type': 'application/json' };
      const words = JSON.stringify({ SAMLResponse: [right], RelayState: begun.relayState });
      const refused = {
        413: await sent(`SAMLResponse=${'marked'.repeat(1_000_000)}`),
        415: await sent(words, json),
      };
      for (const [status, { status: given, headers }] of Object.entries(refused)) {
        const isPage = /^text\/html/.test(headers.get('content-type') ?? '');
        assert.deepEqual([given, isPage], [Number(status), true]);
      }
      for (const query of ['', '?handle=a&handle=b', '?handle=%00'])
        assertRefused(await visit(`${app.address}/v1/saml/finish${query}`), 'INVALID_INPUT');
      codeOf(await finish(app, await sent(form), begun.cookie));
    });

    test('a letter that folds to another one does not match a member’s address', async () => {
      const kelvin = { nameId: 'villain', attributes: { mail: '\u212Aate@provider.example' } };
      await app.people.link('kate@provider.example');
      const begun = await begin(app, client.id);
      const accepted = await post(app, responseTo(app, provider, begun, kelvin), begun.relayState);
      const seen = await finish(app, accepted, begun.cookie);
      assert.deepEqual([seen.status, seen.text.includes('SAML_NO_EMAIL'), seen.cookies], [403, true, []]);
      const subjects = await app.people.records.read
        .selectFrom('saml_identities')
        .select('subject')
        .execute();
      assert.ok(!subjects.some(({ subject }) => subject.includes('villain')));
    });
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' },
);
