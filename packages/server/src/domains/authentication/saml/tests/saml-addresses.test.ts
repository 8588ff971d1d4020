/** Owners of e-mail addresses that providers of several accounts vouch for, unproven. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { linkIn } from '../../../../../../../test/support/mail-server.ts';
import { until } from '../../../../../../../test/support/until.ts';
import { addMember, lockAccount } from '../../../identity/groups/index.ts';
import { createUser } from '../../../identity/users/index.ts';
import { Guests } from '../../invitations/guests.fixture.ts';
import { FormBrowser, password, signInTo } from '../../sign-in/tests/form-browser.fixture.ts';
import { callback, makeClient, signedIn } from '../../sign-in/tests/signed-in.fixture.ts';
import { begin, codeOf, finish, post, responseTo, signIn } from './saml-browser.fixture.ts';
import { TestProvider } from './saml-provider.fixture.ts';

const forgottenPath = '/v1/oauth/forgotten-password';
const accept = { answer: 'accept', password, repeated: password };

describeApp(
  'addresses that providers vouch for',
  (app) => {
    let hospital: TestProvider;
    let cats: TestProvider;
    let clients: { hospital: string; cats: string };
    let catsOwner: { key: string; account: string };
    let guests: Guests;

    before(async () => {
      [hospital, cats] = [await new TestProvider().open(), await new TestProvider().open()];
      guests = new Guests(app);
      catsOwner = await app.people.owner('cats');
      const { key, account } = catsOwner;
      const bodyFor = (provider: TestProvider) => ({
        name: 'By SAML',
        callbackUrls: [callback],
        identityProviders: ['SAML'],
        customIdentityProvider: { metadataUrl: provider.metadataUrl },
      });
      clients = {
        hospital: (await makeClient(app, bodyFor(hospital))).id,
        cats: (await app.call('POST', '/v1/clients', { key, account, body: bodyFor(cats) })).body.id,
      };
    });
    after(() => Promise.all([hospital.close(), cats.close()]));

    const comes = async (by: 'hospital' | 'cats', nameId: string, mail: string, displayName = 'Ada L.') => {
      const provider = by === 'cats' ? cats : hospital;
      const attributes = { mail, displayName };
      return codeOf(await signIn(app, provider, clients[by], { nameId, attributes }));
    };
    const usersOf = (email: string) =>
      app.people.records.read
        .selectFrom('users')
        .select(['id', 'email_claimed_by', 'email_verified_at', 'password_hash'])
        .where('email', '=', email)
        .orderBy('id')
        .execute();
    const ofAccount = async (email: string, account: string | null) =>
      (await usersOf(email)).find((one) => one.email_claimed_by === account)?.id;
    const letters = () => {
      const folder = join(app.folder, 'outbox');
      return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('password.')) : [];
    };
    const forget = async (email: string) => {
      await app.people.records.transact((tx) => tx.deleteFrom('sign_in_delays').execute());
      const browser = new FormBrowser(app.address);
      const shown = await browser.submit(await browser.open(forgottenPath), forgottenPath, { email });
      assert.equal(shown.status, 200);
    };
    const quiet = async () => {
      const waiting = await app.people.records.read
        .selectFrom('jobs')
        .select('id')
        .where('kind', '=', 'forgotten-password-mail')
        .where('state', 'in', ['queued', 'running'])
        .execute();
      return waiting.length === 0;
    };

    test('claims of several accounts are independent, and each sees its own user', async () => {
      const email = 'jane@hospital.example';
      await comes('cats', 'puppet', email, 'Puppet');
      await comes('hospital', 'jane', email, 'Jane');
      const found = await app.call('GET', `/v1/users/${email}`);
      assert.deepEqual([found.status, found.body.profile.name], [200, 'Jane']);
      const theirs = await app.call('GET', `/v1/users/${email}`, catsOwner);
      assert.equal(theirs.body.profile.name, 'Puppet');
      assert.notEqual(found.body.id, theirs.body.id);
      assert.equal((await app.call('GET', `/v1/users/${theirs.body.id}`)).status, 404);
    });

    test('the mail of an invitation proves the address for the account’s own user, and the other users stay separate', async () => {
      const email = 'kim@hospital.example';
      await comes('cats', 'kim-puppet', email);
      await comes('hospital', 'kim', email);
      const kim = await ofAccount(email, app.account);
      const puppet = await ofAccount(email, 'cats');
      const link = await guests.link((await guests.invite(email)).body.id);
      assert.equal((await guests.submit(link, accept)).status, 200);
      const owner = (await usersOf(email)).find((one) => one.email_claimed_by === null);
      assert.deepEqual([owner?.id, owner?.email_verified_at !== null], [kim, true]);
      for (const nameId of ['kim-puppet', 'kim-puppet-2']) await comes('cats', nameId, email);
      const led = await app.people.records.read
        .selectFrom('saml_identities')
        .select('user_id')
        .where('account_id', '=', 'cats')
        .where('subject', 'like', 'nameId:kim-puppet%')
        .execute();
      assert.deepEqual(new Set(led.map((one) => one.user_id)), new Set([puppet]));
    });

    test('an invitation by another account than the claiming one creates a separate user', async () => {
      const email = 'lee@hospital.example';
      await comes('cats', 'lee-puppet', email);
      const link = await guests.link((await guests.invite(email)).body.id);
      assert.match(await (await fetch(link)).text(), /password/i);
      assert.equal((await guests.submit(link, accept)).status, 200);
      assert.equal((await usersOf(email)).length, 2);
      const browser = new FormBrowser(app.address);
      assert.equal((await signInTo(browser, email)).status, 302);
      const me = JSON.parse((await browser.open('/v1/user')).text);
      assert.equal(me.id, await ofAccount(email, null));
      await comes('hospital', 'lee', email);
      const led = await app.people.records.read
        .selectFrom('saml_identities')
        .select('user_id')
        .where('subject', '=', 'nameId:lee')
        .execute();
      assert.deepEqual(led, [{ user_id: me.id }], 'the address identifies the member');
    });

    test('a former member who had joined by invitation does not return by the provider', async () => {
      const email = 'out@hospital.example';
      const group = await guests.group();
      const link = await guests.link((await guests.invite(email, group)).body.id);
      assert.equal((await guests.submit(link, accept)).status, 200);
      const path = `/v1/account/groups/${group}/members/${email}`;
      assert.equal((await app.call('DELETE', path)).status, 204);
      const attributes = { mail: email };
      const seen = await signIn(app, hospital, clients.hospital, { nameId: 'out', attributes });
      assert.deepEqual([seen.status, /SAML_INVITATION_NEEDED/.test(seen.text)], [403, true]);
      assert.equal((await usersOf(email)).length, 1);
    });

    test('an invitation of an account reaches its own user before another owner of the address', async () => {
      const email = 'max@hospital.example';
      await comes('hospital', 'max', email);
      const subjects = await guests.group('Subjects', catsOwner);
      const body = { group: subjects, email };
      const elsewhere = (await app.call('POST', '/v1/invitations', { ...catsOwner, body })).body.id;
      assert.equal((await guests.submit(await guests.link(elsewhere), accept)).status, 200);
      const [own, owner] = [await ofAccount(email, app.account), await ofAccount(email, null)];
      const link = await guests.link((await guests.invite(email)).body.id);
      assert.equal((await guests.submit(link, { answer: 'accept' })).status, 200);
      const joined = await app.people.records.read
        .selectFrom('group_members')
        .select('user_id')
        .where('group_id', '=', await guests.group())
        .where('user_id', 'in', [own ?? '', owner ?? ''])
        .execute();
      assert.deepEqual(joined, [{ user_id: own }]);
      const kept = [await ofAccount(email, app.account), await ofAccount(email, null)];
      assert.deepEqual(kept, [own, owner], 'the address stays whose it is');
    });

    /** Reports whether a connection to this database of PostgreSQL waits for a lock. */
    const isBlocked = async () => {
      const { rows } = await sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(app.people.records.read);
      return rows.length > 0;
    };

    /** Locks the account while `work` begins; meanwhile it gets `email` as a member. */
    const meanwhile = async (email: string, claimedBy: string | undefined, work: () => Promise<unknown>) => {
      const group = { id: await guests.group(), account: app.account };
      let begun: Promise<unknown> | undefined;
      await app.people.records.transact(async (tx) => {
        await lockAccount(tx, app.account);
        // SQLite runs one transaction at a time.
        if (app.people.records.dialect === 'postgres') {
          begun = work();
          await until(isBlocked, 'the work waits for the lock');
        }
        const { id } = await createUser(tx, email, {}, claimedBy === undefined ? {} : { claimedBy });
        await addMember(tx, group, id);
      });
      await (begun ?? work());
    };

    test('a SAML sign-in during the acceptance of an invitation creates one user', async () => {
      const email = 'ann@hospital.example';
      const begun = await begin(app, clients.hospital);
      const change = { nameId: 'ann', attributes: { mail: email } };
      const accepted = await post(app, responseTo(app, hospital, begun, change), begun.relayState);
      await meanwhile(email, undefined, async () => codeOf(await finish(app, accepted, begun.cookie)));
      assert.equal((await usersOf(email)).length, 1);
    });

    test('accepting an invitation during a SAML sign-in creates one user', async () => {
      const email = 'bea@hospital.example';
      const link = await guests.link((await guests.invite(email, await guests.group('Subjects'))).body.id);
      const tried: number[] = [];
      const submit = async () => tried.push((await guests.submit(link, accept)).status);
      await meanwhile(email, app.account, submit);
      assert.equal((await usersOf(email)).length, 1);
      // The form asked for a password; the user exists now, and the form is shown again.
      if (tried[0] === 409) await submit();
      assert.equal(tried.at(-1), 200);
      assert.equal((await usersOf(email))[0]?.email_claimed_by, null);
    });

    test('a password reset reaches the user of a single claim, but not of several', async () => {
      const [one, several] = ['one@hospital.example', 'several@hospital.example'];
      await comes('hospital', 'one', one);
      await comes('hospital', 'several', several);
      await comes('cats', 'several-puppet', several);
      const before = letters().length;
      await forget(several);
      await until(quiet, 'the job is done');
      assert.equal(letters().length, before);
      const claimed = await ofAccount(one, app.account);
      const body = { group: await guests.group('Subjects', catsOwner), email: one };
      assert.equal((await app.call('POST', '/v1/invitations', { ...catsOwner, body })).status, 200);
      const users = { id: await guests.group(), account: app.account };
      await app.people.records.transact((tx) => addMember(tx, users, claimed ?? ''));
      const key = await app.people.key(claimed ?? '', app.account);
      const received = async () =>
        (await app.call('GET', '/v1/invitations', { key, account: undefined })).body.items;
      assert.deepEqual(await received(), []);
      const [known] = [letters()];
      await forget(one);
      await until(() => letters().length === before + 1, 'a letter');
      const name = letters().find((each) => !known.includes(each)) ?? '';
      const link = linkIn(readFileSync(join(app.folder, 'outbox', name), 'utf8'));
      const token = new URL(link).searchParams.get('token') ?? '';
      const set = await new FormBrowser(app.address).post('/v1/set-up/password', {
        token,
        password,
        repeated: password,
      });
      assert.equal(set.status, 200, set.text);
      assert.equal(await ofAccount(one, null), claimed);
      assert.equal((await received()).length, 1, 'the address opens invitations sent to it, at once');
      assert.equal((await signInTo(new FormBrowser(app.address), one)).status, 302);
    });

    test('a link for a password is void once another user owns the address', async () => {
      const email = 'late@hospital.example';
      await comes('cats', 'late-puppet', email);
      const before = letters();
      await forget(email);
      await until(() => letters().length === before.length + 1, 'a letter');
      const name = letters().find((each) => !before.includes(each)) ?? '';
      const letter = linkIn(readFileSync(join(app.folder, 'outbox', name), 'utf8'));
      const link = await guests.link((await guests.invite(email)).body.id);
      assert.equal((await guests.submit(link, accept)).status, 200);
      const token = new URL(letter).searchParams.get('token') ?? '';
      const fields = { token, password, repeated: password };
      assert.equal((await new FormBrowser(app.address).post('/v1/set-up/password', fields)).status, 403);
    });

    test('two users of one account with one address are distinguished by id, and neither removes the other', async () => {
      const email = 'twin@hospital.example';
      await comes('cats', 'twin-puppet', email);
      const link = await guests.link((await guests.invite(email)).body.id);
      await guests.submit(link, accept);
      const owner = (await ofAccount(email, null)) ?? '';
      const puppet = (await ofAccount(email, 'cats')) ?? '';
      const group = await guests.group('Subjects', catsOwner);
      await app.people.records.transact((tx) =>
        tx
          .insertInto('group_members')
          .values({ group_id: group, account_id: 'cats', user_id: owner, added_at: 1 })
          .execute(),
      );
      const path = (name: string) => `/v1/account/groups/${group}/members/${encodeURIComponent(name)}`;
      const refused = await app.call('DELETE', path(email), catsOwner);
      assert.deepEqual([refused.status, refused.body.code], [409, 'SEVERAL_USERS']);
      const headers = { cookie: await signedIn(app, puppet), origin: app.address };
      const left = await app.call('DELETE', path(email), { key: undefined, account: 'cats', headers });
      assert.equal(left.status, 204, left.text);
      const rest = await app.people.records.read
        .selectFrom('group_members')
        .select('user_id')
        .where('group_id', '=', group)
        .where('user_id', 'in', [owner, puppet])
        .execute();
      assert.deepEqual(rest, [{ user_id: owner }], 'the own address means the caller');
    });
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' },
);
