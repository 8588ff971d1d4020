/** Whom strangers can keep out who guess at a password, and whom not. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { describeApp } from '../support/app.ts';
import { FormBrowser, makePerson, password, signInTo } from './form-browser.ts';

describeApp('browsers in which somebody has signed in', (app) => {
  let people = 0;
  let email = '';
  let known: FormBrowser;
  beforeEach(async () => {
    email = `guessed-at-${people++}@example.test`;
    await makePerson(app, email);
    known = new FormBrowser(app.address);
    await signInTo(known, email);
    known.cookies.delete('ploidy-session');
    // All of these browsers are at one address, whose wrong attempts count as well.
    await app.people.records.transact((tx) => tx.deleteFrom('sign_in_delays').execute());
  });

  /** Wrong passwords until one has to wait. */
  const guess = async (browser: () => FormBrowser): Promise<void> => {
    for (let guesses = 0; guesses < 10; guesses++)
      if ((await signInTo(browser(), email, 'a wrong guess')).status === 429) return;
    assert.fail('nothing made the guesses wait');
  };

  test('strangers who guess at a password make other strangers wait, and nobody where he has signed in', async () => {
    await guess(() => new FormBrowser(app.address));
    assert.equal((await signInTo(new FormBrowser(app.address), email)).status, 429);
    assert.equal((await signInTo(known, email)).status, 302);
    assert.equal((await signInTo(new FormBrowser(app.address), email)).status, 429, 'strangers still wait');
  });

  test('whoever has stolen such a cookie has as few guesses as a stranger, and they are his own after the next sign-in', async () => {
    const thief = new FormBrowser(app.address);
    thief.cookies.set('ploidy-device', known.cookies.get('ploidy-device') ?? '');
    await signInTo(known, email);
    known.cookies.delete('ploidy-session');
    await guess(() => thief);
    assert.equal((await signInTo(thief, email)).status, 429);
    assert.equal((await signInTo(known, email)).status, 302);
    assert.equal((await signInTo(new FormBrowser(app.address), email)).status, 302);
  });

  test('the browser of somebody else, or a name that was made up, is that of a stranger', async () => {
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

  test('who has chosen a password by a link signs in there, whoever guesses', async () => {
    await guess(() => new FormBrowser(app.address));
    const { token } = await app.people.link(email);
    const browser = new FormBrowser(app.address);
    const fields = { token, password, repeated: password };
    assert.equal((await browser.post('/v1/set-up/password', fields)).status, 200);
    assert.equal((await signInTo(browser, email)).status, 302);
  });
});
