import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeApp } from '../../../../test/support/app.ts';
import { cleanEnvironment } from '../../../../test/support/server.ts';
import { until } from '../../../../test/support/until.ts';
import { TokenFlow } from '../domains/authentication/oauth/tests/token-flow.fixture.ts';
import { codeAt, stepAt } from '../domains/authentication/sign-in/second-factor/totp.ts';
import {
  eventsOf,
  FormBrowser,
  makePerson,
  password,
  signInTo,
} from '../domains/authentication/sign-in/tests/form-browser.fixture.ts';

const enrolPath = '/v1/security/second-factor';
const ploidy = join(import.meta.dirname, '../../../../bin/ploidy.js');

describeApp('ploidy admin', (app) => {
  const admin = (...words: string[]) => run('admin', ...words);
  const run = (...words: string[]) => runWith({}, ...words);
  const runWith = (
    settings: Record<string, string>,
    ...words: string[]
  ): Promise<{ code: number; out: string; err: string }> =>
    new Promise((resolve) => {
      const env = { ...cleanEnvironment(), ...app.settings, ...settings };
      execFile(process.execPath, [ploidy, ...words], { env }, (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
      );
    });

  test('root is refused if the service runs as another user, whose name is reported; the owner of the folder does not count', {
    skip: process.getuid?.() !== 0 && 'only root can give a folder away',
  }, async () => {
    const never = join(app.folder, '../never');
    const made = ['secrets', 'scratch'];
    for (const words of ['admin verify-audit', 'admin rotate-key', `admin backup ${never}`, 'serve']) {
      for (const name of made) chownSync(join(app.folder, name), 65534, 65534);
      const refused = await run(...words.split(' '));
      for (const name of made) chownSync(join(app.folder, name), 0, 0);
      assert.deepEqual([refused.code, refused.out], [1, '']);
      assert.match(refused.err, /belongs to the user with the id 65534: run this command as that user/);
    }
    chownSync(app.folder, 65534, 65534);
    const taken = await run('admin', 'verify-audit');
    chownSync(app.folder, 0, 0);
    assert.equal(taken.code, 0, taken.err);
  });

  test('the doctor reports each part, and a missing backup as a fault until there is one', async () => {
    const before = await admin('doctor');
    assert.equal(before.code, 1);
    assert.match(before.out, /^records: \w+, .*whole$/m);
    assert.match(before.out, /^lastBackup: FAULT: none was completed/m);
    const place = mkdtempSync(join(tmpdir(), 'ploidy-backups-'));
    const made = await admin('backup', place, '--with-key');
    rmSync(place, { recursive: true });
    assert.equal(made.code, 0, made.err);
    const { out } = await admin('doctor');
    assert.match(out, /^lastBackup: \d{4}-\d\d-\d\dT/m);
    const { text } = await app.call('GET', '/metrics');
    assert.match(text, /^ploidy_last_backup_timestamp_seconds [1-9]/m);
  });

  test('a missing file of settings is reported in a sentence', async () => {
    const env = { ...cleanEnvironment(), PLOIDY_CONFIG_FILE: '/nowhere/settings' };
    const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile(process.execPath, [ploidy, 'serve'], { env }, (error, _out, stderr) =>
        resolve({ code: error?.code, stderr }),
      );
    });
    assert.equal(code, 2);
    assert.match(stderr, /^PLOIDY_CONFIG_FILE names a file that cannot be read: .*nowhere.*\n$/);
  });

  test('new accounts, users and keys of the host are accepted at once by the running service', async () => {
    const account = await admin(
      'accounts',
      'add',
      '--name',
      'Ward 7',
      '--owner',
      'chief@ward7.test',
      '--json',
    );
    assert.equal(JSON.parse(account.out).id, 'ward-7');
    const user = await admin('users', 'add', '--email', 'Ann@Ward7.test', '--account', 'ward-7', '--json');
    assert.match(JSON.parse(user.out).signInUrl, /\/v1\/set-up\/password\?token=/);
    const key = await admin('keys', 'add', '--user', 'ann@ward7.test', '--account', 'ward-7', '--json');
    const request = { key: JSON.parse(key.out).key, account: 'ward-7' };
    assert.equal((await app.call('GET', '/v1/projects', request)).status, 200);
    assert.equal((await app.call('POST', '/v1/projects', { ...request, body: { name: 'x' } })).status, 403);
  });

  test('the link of a new user opens the service at any address', async () => {
    await app.people.owner('links');
    const link = async (settings: Record<string, string>): Promise<string> => {
      const words = ['users', 'add', '--email', 'ann@links.test', '--account', 'links', '--json'];
      return JSON.parse((await runWith(settings, 'admin', ...words)).out).signInUrl.replace(/token=.*/, '');
    };
    const path = '/v1/set-up/password?';
    const at = (host: string) => ({ PLOIDY_HOST: host, PLOIDY_PORT: '8080' });
    assert.equal(await link(at('::1')), `http://[::1]:8080${path}`);
    assert.equal(await link(at('0.0.0.0')), `http://127.0.0.1:8080${path}`);
    assert.equal(
      await link({ PLOIDY_PUBLIC_URL: 'https://ploidy.example/' }),
      `https://ploidy.example${path}`,
    );
  });

  test('reports errors with an exit code for scripts', async () => {
    assert.equal((await admin('keys', 'add', '--user', 'nobody@x', '--account', 'main')).code, 1);
    const stranger = await admin('keys', 'add', '--user', 'admin@localhost', '--account', 'nosuch');
    assert.deepEqual([stranger.code, /is no member/.test(stranger.err)], [1, true]);
  });

  test('reports a missing group, account, user or project with a remedy', async () => {
    const said = async (words: string): Promise<string> => {
      const { code, out, err } = await admin(...words.split(' '));
      assert.deepEqual([code, out], [1, ''], words);
      return err;
    };
    assert.match(
      await said('users add --email a@b.test --account main --group None'),
      /^The account main has no group None: its groups are Administrators, Subjects, Users\.$/m,
    );
    assert.match(await said('users add --email a@b.test --account none'), /^There is no account none\.$/m);
    assert.match(
      await said('keys add --user a@b.test --account main'),
      /no user a@b\.test: `ploidy admin users add`/,
    );
    assert.match(await said('verify-lake --project none'), /^There is no project none: /);
  });

  test('a transferred account has a new owner, who administers it; the former owner leaves with the last group', async () => {
    const give = (owner: string) =>
      admin('accounts', 'owner', '--account', 'ward-8', '--owner', owner, '--json');
    const chief = await app.people.owner('ward-8');
    const next = await makePerson(app, 'next@ward8.test');
    const nobody = await give('nobody@ward8.test');
    assert.deepEqual([nobody.code, /There is no user nobody@ward8.test/.test(nobody.err)], [1, true]);
    assert.deepEqual(JSON.parse((await give('Next@Ward8.test')).out), {
      account: 'ward-8',
      owner: 'next@ward8.test',
      joined: 'Administrators',
      ownerBefore: 'owner@ward-8.test',
      groupsOfOwnerBefore: [{ name: 'Administrators' }],
    });
    assert.match((await give(next)).err, /next@ward8.test owns the account already/);
    const request = { key: await app.people.key(next, 'ward-8'), account: 'ward-8' };
    const path = '/v1/account/groups';
    const { items } = (await app.call('GET', `${path}?name=Administrators`, request)).body;
    const gone = await app.call('DELETE', `${path}/${items[0].id}/members/${chief.userId}`, request);
    assert.equal(gone.status, 204, gone.text);
    assert.equal((await app.call('GET', '/v1/projects', chief)).status, 401);
    assert.equal((await app.call('GET', '/v1/accounts/ward-8', request)).body.owner, 'next@ward8.test');
    const events = (await app.call('GET', '/v1/audit-events?action=admin.changeOwner', request)).body.items;
    assert.deepEqual(events[0].details, { before: chief.userId, joined: true, leftAccount: false });
  });

  test('a former owner in no group loses membership and keys of the account', async () => {
    const chief = await app.people.owner('ward-9');
    const { read } = app.people.records;
    await app.people.records.transact((tx) =>
      tx.deleteFrom('group_members').where('account_id', '=', 'ward-9').execute(),
    );
    const { out } = await admin('accounts', 'owner', '--account', 'ward-9', '--owner', 'admin@localhost');
    assert.match(out, /^ownerBefore: owner@ward-9.test\ngroupsOfOwnerBefore: 0$/m);
    await until(
      async () => (await app.call('GET', '/v1/projects', chief)).status === 401,
      'the end of the key',
    );
    const keys = await read
      .selectFrom('api_keys')
      .select('revoked_at')
      .where('account_id', '=', 'ward-9')
      .execute();
    assert.ok(keys.every(({ revoked_at }) => revoked_at !== null));
  });

  // asvs: 7.4.5
  test('a user signed out on the host loses sessions, applications and keys, recorded in all accounts of the user', async () => {
    const email = 'leaves@example.test';
    const user = await makePerson(app, email);
    const key = await app.people.key(user, 'main');
    const browser = new FormBrowser(app.address);
    await signInTo(browser, email);
    const flow = await TokenFlow.open(app);
    const cookie = `ploidy-session=${browser.cookies.get('ploidy-session')}`;
    const tokens = await new TokenFlow(app, user, cookie, flow.client).signIn();
    assert.equal((await app.call('GET', '/v1/projects', { key })).status, 200);
    assert.equal(await flow.works(tokens.access_token), 200);
    const ended = await admin('users', 'sign-out', '--user', 'Leaves@example.test', '--json');
    const counts = { sessionsEnded: 1, applicationsSignedOut: 1, keysRevoked: 1 };
    assert.deepEqual(JSON.parse(ended.out), { user, ...counts });
    // Another process changed it: the service is notified shortly after.
    await until(
      async () => (await app.call('GET', '/v1/projects', { key })).status === 401,
      'the end of the key',
    );
    assert.equal((await browser.open('/v1/accounts')).status, 401);
    assert.equal(await flow.works(tokens.access_token), 401);
    assert.equal((await flow.refresh(tokens.refresh_token)).status, 400);
    assert.ok((await eventsOf(app, user)).includes('admin.signOut'));
    assert.equal((await admin('users', 'sign-out', '--user', 'nobody@example.test')).code, 1);
  });

  test('a lost second factor removed on the host ends all sign-ins, recorded in all accounts of the user', async () => {
    const email = 'lost@example.test';
    const user = await makePerson(app, email);
    const missing = await admin('second-factor', 'remove', '--user', email);
    assert.deepEqual([missing.code, /has not turned the second step on/.test(missing.err)], [1, true]);
    const browser = new FormBrowser(app.address);
    await signInTo(browser, email);
    const page = await browser.open(enrolPath);
    const secret = /<code>([A-Z2-7 ]{30,})<\/code>/.exec(page.text)?.[1]?.replaceAll(' ', '') ?? '';
    const code = codeAt(secret, stepAt(Date.now()));
    assert.match((await browser.submit(page, enrolPath, { code, current: password })).text, /class="codes"/);
    assert.equal((await signInTo(new FormBrowser(app.address), email)).status, 200, 'a code is asked for');
    const flow = await TokenFlow.open(app);
    const cookie = `ploidy-session=${browser.cookies.get('ploidy-session')}`;
    const tokens = await new TokenFlow(app, user, cookie, flow.client).signIn();
    const removed = await admin('second-factor', 'remove', '--user', 'Lost@Example.test', '--json');
    assert.deepEqual(JSON.parse(removed.out), { user, sessionsEnded: 1 });
    // Another process changed it: the service is notified shortly after.
    await until(async () => (await browser.open('/v1/accounts')).status === 401, 'the end of the session');
    assert.equal(await flow.works(tokens.access_token), 401);
    assert.equal((await flow.refresh(tokens.refresh_token)).status, 400);
    assert.equal((await signInTo(new FormBrowser(app.address), email)).status, 302, 'the password does');
    const { read } = app.people.records;
    for (const table of ['second_factors', 'recovery_codes'] as const)
      assert.deepEqual(await read.selectFrom(table).selectAll().where('user_id', '=', user).execute(), []);
    assert.ok((await eventsOf(app, user)).includes('admin.removeSecondFactor'));
  });

  test('the audit chain is verified on the host', async () => {
    const { code, out } = await admin('verify-audit');
    assert.equal(code, 0);
    assert.match(out, /^main: \d+ events, whole$/m);
  });
});
