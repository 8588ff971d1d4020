/** Delays caused by strangers who guess a password. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { FormBrowser, makePerson, password, signInTo } from './form-browser.fixture.ts';

describeApp('browsers of earlier sign-ins', (app) => {
  let people = 0;
  let email = '';
  let known: FormBrowser;
  beforeEach(async () => {
    email = `guessed-at-${people++}@example.test`;
    await makePerson(app, email);
    known = new FormBrowser(app.address);
    await signInTo(known, email);
    known.cookies.delete('ploidy-session');
    // All of these browsers share a network, whose wrong attempts count too.
    await app.people.records.transact((tx) => tx.deleteFrom('sign_in_delays').execute());
  });

  /** Sends wrong passwords until a delay, which is then as long as delays of users become. */
  const guess = async (browser: () => FormBrowser): Promise<void> => {
    for (let guesses = 0; guesses < 10; guesses++) {
      if ((await signInTo(browser(), email, 'a wrong guess')).status === 429) return;
      await lengthenDelays();
    }
    assert.fail('nothing made the guesses wait');
  };
  const lengthenDelays = () =>
    app.people.records.transact((tx) =>
      tx
        .updateTable('sign_in_delays')
        .set({ open_at: Date.now() + 50_000 })
        .whereRef('open_at', '>', 'failed_at')
        .execute(),
    );

  test('guesses of strangers delay other strangers, and no browser of an earlier sign-in', async () => {
    await guess(() => new FormBrowser(app.address));
    assert.equal((await signInTo(new FormBrowser(app.address), email)).status, 429);
    assert.equal((await signInTo(known, email)).status, 302);
    assert.equal((await signInTo(new FormBrowser(app.address), email)).status, 429, 'strangers still wait');
  });

  test("a stolen cookie has as few guesses as a stranger, and a separate counter after the user's next sign-in", async () => {
    const thief = new FormBrowser(app.address);
    thief.cookies.set('ploidy-device', known.cookies.get('ploidy-device') ?? '');
    await signInTo(known, email);
    known.cookies.delete('ploidy-session');
    await guess(() => thief);
    assert.equal((await signInTo(thief, email)).status, 429);
    assert.equal((await signInTo(known, email)).status, 302);
    assert.equal((await signInTo(new FormBrowser(app.address), email)).status, 302);
  });

  test('a browser of another user, or an invented name, counts as a stranger', async () => {
    const other = `other-${email}`;
    await makePerson(app, other);
    const theirs = new FormBrowser(app.address);
    await signInTo(theirs, other);
    await guess(() => new FormBrowser(app.address));
    const [name = '', proof = ''] = (known.cookies.get('ploidy-device') ?? '').split('.');
    const forged = [theirs.cookies.get('ploidy-device') ?? '', `other.${proof}`, `${name}.`, name, '.'];
    for (const value of forged) {
      const browser = new FormBrowser(app.address);
      browser.cookies.set('ploidy-device', value);
      assert.equal((await signInTo(browser, email)).status, 429, value);
    }
  });

  test('a browser in which a password was set by a link signs in despite guesses', async () => {
    await guess(() => new FormBrowser(app.address));
    const { token } = await app.people.link(email);
    const browser = new FormBrowser(app.address);
    const fields = { token, password, repeated: password };
    assert.equal((await browser.post('/v1/set-up/password', fields)).status, 200);
    assert.equal((await signInTo(browser, email)).status, 302);
  });
});
