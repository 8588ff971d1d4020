/** Forgotten passwords: a link by mail, and its effects. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { linkIn } from '../../../../../../../test/support/mail-server.ts';
import { until } from '../../../../../../../test/support/until.ts';
import { TokenFlow } from '../../oauth/tests/token-flow.fixture.ts';
import {
  eventsOf,
  FormBrowser,
  hiddenOf,
  makePerson,
  password,
  type Shown,
  signInTo,
} from './form-browser.fixture.ts';

const path = '/v1/oauth/forgotten-password';
const setPath = '/v1/set-up/password';

describeApp('forgotten passwords', (app) => {
  const email = 'forgetful@example.test';
  let user = '';
  before(async () => {
    user = await makePerson(app, email);
  });
  const ask = async (address: string): Promise<Shown> => {
    const browser = new FormBrowser(app.address);
    return browser.submit(await browser.open(path), path, { email: address });
  };
  const outbox = () => {
    try {
      return readdirSync(join(app.folder, 'outbox'))
        .filter((name) => name.startsWith('password.'))
        .sort();
    } catch {
      return [];
    }
  };
  const nextLink = async (address: string): Promise<string> => {
    const before = outbox();
    assert.equal((await ask(address)).status, 200);
    await until(() => outbox().length > before.length, 'a mail');
    const name = outbox().find((one) => !before.includes(one)) ?? '';
    const mail = readFileSync(join(app.folder, 'outbox', name), 'utf8');
    assert.match(mail, new RegExp(`To: ${email}`));
    return linkIn(mail);
  };

  test('response and work are equal for known and unknown addresses', async () => {
    const jobs = () =>
      app.people.records.read
        .selectFrom('jobs')
        .select('id')
        .where('kind', '=', 'forgotten-password-mail')
        .execute();
    const answers: string[] = [];
    for (const address of ['nobody-at-all@example.test', email]) {
      const before = (await jobs()).length;
      const { status, text } = await ask(address);
      assert.equal((await jobs()).length - before, 1, 'one job is written down either way');
      answers.push(`${status} ${text.replaceAll(address, 'EMAIL').replace(/nonce="[^"]+"/, '')}`);
    }
    assert.equal(answers[0], answers[1]);
    await until(() => outbox().length === 1, 'the mail of the one who exists');
    const kept = JSON.stringify(await app.people.records.read.selectFrom('jobs').selectAll().execute());
    assert.ok(!kept.includes('nobody-at-all'), 'addresses that were typed are sealed');
  });

  // asvs: 6.4.3
  test('the link sets the password once, proves the address, and ends all sessions', async () => {
    const browser = new FormBrowser(app.address);
    await signInTo(browser, email);
    const session = browser.cookies.get('ploidy-session') ?? '';
    const flow = await TokenFlow.open(app);
    const own = new TokenFlow(app, user, `ploidy-session=${session}`, flow.client);
    const tokens = await own.signIn();
    assert.equal(await own.works(tokens.access_token), 200);
    const older = await nextLink(email);
    const link = await nextLink(email);
    assert.equal((await fetch(older)).status, 403, 'a newer link took its place');
    const shown = await fetch(link);
    assert.equal(shown.status, 200, 'looking uses nothing up');
    assert.equal(shown.headers.get('referrer-policy'), 'no-referrer');
    const token = new URL(link).searchParams.get('token') ?? '';
    const word = 'another password altogether';
    const set = () => new FormBrowser(app.address).post(setPath, { token, password: word, repeated: word });
    const statuses = (await Promise.all([set(), set(), set()])).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, 403, 403]);
    assert.equal((await fetch(link)).status, 403);
    assert.equal((await browser.open('/v1/accounts')).status, 401);
    assert.equal(await own.works(tokens.access_token), 401);
    assert.equal((await own.refresh(tokens.refresh_token)).body.error, 'invalid_grant');
    assert.equal((await signInTo(new FormBrowser(app.address), email, password)).status, 400);
    assert.equal((await signInTo(new FormBrowser(app.address), email, word)).status, 302);
    const row = await app.people.records.read
      .selectFrom('users')
      .select('email_verified_at')
      .where('id', '=', user)
      .executeTakeFirstOrThrow();
    assert.ok(row.email_verified_at);
    assert.ok((await eventsOf(app, user)).includes('setup.password'));
  });

  test('records hold neither the link nor its token', async () => {
    const { read } = app.people.records;
    await app.people.records.transact((tx) => tx.deleteFrom('sign_in_delays').execute());
    const token = new URL(await nextLink(email)).searchParams.get('token') ?? '';
    const kept = JSON.stringify([
      await read.selectFrom('one_time_tokens').selectAll().execute(),
      await read.selectFrom('jobs').selectAll().execute(),
    ]);
    assert.ok(!kept.includes(token));
  });

  test('mails to one address are limited, for known and unknown ones', async () => {
    for (const address of ['flooded@example.test', email]) {
      await app.people.records.transact((tx) => tx.deleteFrom('sign_in_delays').execute());
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 8 && statuses.at(-1) !== 429; attempt++)
        statuses.push((await ask(address)).status);
      assert.equal(statuses.at(-1), 429, statuses.join());
      assert.ok(statuses.length <= 8);
    }
  });

  test('the form must have been shown in this browser', async () => {
    const page = await new FormBrowser(app.address).open(path);
    const fields = { ...hiddenOf(page.text, path), email };
    const reply = await new FormBrowser(app.address).post(path, fields);
    assert.equal(reply.status, 400);
  });
});
