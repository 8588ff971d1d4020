/** Second step of signing in, and the pages that enable and disable it. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { decodeJwt } from 'jose';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { until } from '../../../../../../../test/support/until.ts';
import { codeAt, stepAt } from '../second-factor/totp.ts';
import { eventsOf, FormBrowser, makePerson, password, type Shown, signInTo } from './form-browser.fixture.ts';
import { callback, makeClient, pkce, postForm } from './signed-in.fixture.ts';

const enrolPath = '/v1/security/second-factor';
const stepPath = '/v1/oauth/second-step';

describeApp('second step', (app) => {
  let user = '';
  let secret = '';
  let codes: string[] = [];
  const email = 'totp@example.test';
  const browser = {} as { own: FormBrowser };
  /** Returns an unused code: steps only advance, so each use consumes the next valid one. */
  const nextCode = async (): Promise<string> => {
    let step = 0;
    await until(async () => {
      const row = await app.people.records.read
        .selectFrom('second_factors')
        .select('used_step')
        .where('user_id', '=', user)
        .executeTakeFirstOrThrow();
      step = row.used_step + 1;
      // Frees the steps of the last minute, so that tests need not wait for the clock.
      await app.people.records.transact((tx) =>
        tx
          .updateTable('second_factors')
          .set({ used_step: stepAt(Date.now()) - 2 })
          .where('user_id', '=', user)
          .execute(),
      );
      return step > 0;
    }, 'a step');
    return codeAt(secret, stepAt(Date.now()));
  };

  before(async () => {
    user = await makePerson(app, email);
    browser.own = new FormBrowser(app.address);
    await signInTo(browser.own, email);
    const page = await browser.own.open(enrolPath);
    secret = /<code>([A-Z2-7 ]{30,})<\/code>/.exec(page.text)?.[1]?.replaceAll(' ', '') ?? '';
    const wrong = await browser.own.submit(page, enrolPath, { code: '000000', current: password });
    assert.match(wrong.text, /This code is wrong/);
    assert.ok(wrong.text.includes(secret.slice(0, 4)), 'the same key is shown again');
    const code = codeAt(secret, stepAt(Date.now()));
    const noPassword = await browser.own.submit(wrong, enrolPath, { code, current: 'guessed guessed' });
    assert.match(noPassword.text, /Your current password is not correct/);
    const on = await browser.own.submit(noPassword, enrolPath, { code, current: password });
    codes = [...on.text.matchAll(/<code>([A-Z2-7]{5}-[A-Z2-7]{5})<\/code>/g)].map(([, one = '']) => one);
    assert.equal(codes.length, 10, on.text);
  });

  test('the page shows key and QR code without scripts or external content', async () => {
    const page = await browser.own.open(enrolPath);
    assert.match(page.text, /<svg class="qr" role="img"/);
    assert.match(page.text, /otpauth:\/\/totp\/Ploidy/);
    assert.doesNotMatch(page.text, /<script|src=|https:\/\//);
  });

  test('after the password a code is required before a session begins', async () => {
    const other = new FormBrowser(app.address);
    const page = await signInTo(other, email);
    assert.equal(page.status, 200);
    assert.match(page.text, /Code from your authenticator/);
    assert.match(page.text, /autocomplete="one-time-code"/);
    assert.equal(other.cookies.has('ploidy-session'), false);
    const wrong = await other.submit(page, stepPath, { code: '12345' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /This code is wrong or already used/);
    const code = await nextCode();
    const sent = await other.submit(wrong, stepPath, { code });
    assert.equal(sent.location, '/');
    assert.equal((await other.open('/v1/security')).status, 200);
    const third = new FormBrowser(app.address);
    const replayed = await third.submit(await signInTo(third, email), stepPath, { code });
    assert.equal(replayed.status, 400, 'the same code once more');
    await until(async () => (await eventsOf(app, user)).includes('signIn.failed'), 'an audit event');
  });

  test('an application gets its code after the second step, and both methods in the token', async () => {
    const client = await makeClient(app);
    const { verifier, challenge } = pkce();
    const request = { response_type: 'code', client_id: client.id, redirect_uri: callback, ...challenge };
    const other = new FormBrowser(app.address);
    const form = await other.open(`/v1/oauth/authorize?${new URLSearchParams(request)}`);
    const page = await other.submit(form, '/v1/oauth/sign-in', { email, password });
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /form-action 'self' https:\/\/app\.example/,
    );
    const sent = await other.submit(page, stepPath, { code: await nextCode() });
    const tokens = await postForm(app, '/v1/oauth/token', {
      grant_type: 'authorization_code',
      client_id: client.id,
      redirect_uri: callback,
      code: new URL(sent.location ?? '').searchParams.get('code') ?? '',
      code_verifier: verifier,
    });
    assert.deepEqual(decodeJwt(tokens.body.id_token)['amr'], ['pwd', 'otp']);
  });

  test('a recovery code signs in once', async () => {
    const use = async (): Promise<Shown> => {
      const other = new FormBrowser(app.address);
      return other.submit(await signInTo(other, email), stepPath, { code: codes[0]?.toLowerCase() ?? '' });
    };
    assert.equal((await use()).status, 302);
    assert.equal((await use()).status, 400);
    assert.match((await browser.own.open('/v1/security')).text, /It is on\. 9 recovery codes are left\./);
  });

  // asvs: 2.3.1, 6.6.2
  test('the step is valid for its browser, request and password only', async () => {
    const mine = new FormBrowser(app.address);
    const page = await signInTo(mine, email);
    const code = await nextCode();
    const foreign = new FormBrowser(app.address);
    const other = await signInTo(foreign, 'nobody@example.test');
    assert.equal((await foreign.post(stepPath, { ...fieldsOf(page), code })).status, 400);
    foreign.cookies.set('ploidy-form', mine.cookies.get('ploidy-form') ?? '');
    const request = 'response_type=code';
    assert.equal((await foreign.post(stepPath, { ...fieldsOf(page), request, code })).status, 400);
    assert.equal(
      (await mine.submit(page, stepPath, { code, step: `${fieldsOf(page)['step']}A` })).status,
      400,
    );
    assert.equal(
      (await mine.submit(page, stepPath, { code }, { 'sec-fetch-site': 'cross-site' })).status,
      400,
    );
    assert.equal(other.status, 400);
    await app.people.records.transact((tx) =>
      tx
        .updateTable('users')
        .set((eb) => ({
          password_hash: eb.fn('replace', ['password_hash', eb.val('$argon'), eb.val('$Argon')]),
        }))
        .where('id', '=', user)
        .execute(),
    );
    const changed = await mine.submit(page, stepPath, { code });
    await app.people.records.transact((tx) =>
      tx
        .updateTable('users')
        .set((eb) => ({
          password_hash: eb.fn('replace', ['password_hash', eb.val('$Argon'), eb.val('$argon')]),
        }))
        .where('id', '=', user)
        .execute(),
    );
    assert.equal(changed.status, 400, 'the password was changed in between');
    assert.equal(mine.cookies.has('ploidy-session'), false);
    assert.equal((await mine.submit(page, stepPath, { code })).status, 302);
  });

  test('guessing codes is delayed, also with the password and a fresh start each time', async () => {
    const guesser = new FormBrowser(app.address);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 12 && statuses.at(-1) !== 429; attempt++)
      statuses.push(
        (await guesser.submit(await signInTo(guesser, email), stepPath, { code: '000000' })).status,
      );
    assert.equal(statuses.at(-1), 429, statuses.join());
    assert.ok(statuses.length <= 10);
    await app.people.records.transact((tx) => tx.deleteFrom('sign_in_delays').execute());
  });

  // asvs: 7.5.1
  test('new recovery codes and disabling need the password', async () => {
    const overview = await browser.own.open('/v1/security');
    const codesPath = '/v1/security/recovery-codes';
    assert.equal((await browser.own.submit(overview, codesPath, { current: 'guessed' })).status, 400);
    const renewed = await browser.own.submit(overview, codesPath, { current: password });
    assert.equal(renewed.text.match(/<li><code>/g)?.length, 10);
    const remove = `${enrolPath}/remove`;
    assert.equal((await browser.own.submit(overview, remove, { current: 'guessed' })).status, 400);
    assert.equal(
      (await browser.own.submit(overview, remove, { current: password })).location,
      '/v1/security?done=off',
    );
    assert.equal((await signInTo(new FormBrowser(app.address), email)).status, 302);
    const events = await eventsOf(app, user);
    for (const action of ['security.secondFactorOn', 'security.recoveryCodes', 'security.secondFactorOff'])
      assert.ok(events.includes(action), action);
  });
});

function fieldsOf({ text }: Shown): Record<string, string> {
  const found = text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries(
    [...found].map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]),
  );
}
