import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { newToken } from '../../../../platform/secrets/secret-token.ts';
import { storeToken } from '../../setup/index.ts';
import { FormBrowser, type Shown } from './form-browser.fixture.ts';
import { firstUser } from './signed-in.fixture.ts';

describeApp('links that open the console', (app) => {
  const link = async (
    lifeMs = 60_000,
    purpose: 'opening' | 'first-password' = 'opening',
  ): Promise<string> => {
    const token = newToken();
    const subject = await firstUser(app);
    await app.people.records.transact((tx) => storeToken(tx, token, { purpose, subject, lifeMs }));
    return `/v1/set-up/console?token=${token}`;
  };

  /** Opens a link and presses its button. */
  const press = async (browser: FormBrowser, path: string): Promise<Shown> => {
    const shown = await browser.open(path);
    return shown.status === 200 ? browser.submit(shown, '/v1/set-up/console', {}) : shown;
  };

  test('the button of a link signs in and redirects to the console', async () => {
    const browser = new FormBrowser(app.address);
    const reply = await press(browser, await link());
    assert.deepEqual([reply.status, reply.location], [302, '/']);
    const accounts = await fetch(`${app.address}/v1/accounts`, { headers: { cookie: browser.cookie } });
    assert.equal(accounts.status, 200);
  });

  test('a link works once: one of ten concurrent browsers is signed in', async () => {
    const path = await link();
    const browsers = Array.from({ length: 10 }, () => new FormBrowser(app.address));
    const pages = await Promise.all(browsers.map((browser) => browser.open(path)));
    const replies = await Promise.all(
      browsers.map((browser, at) => browser.submit(pages[at] as Shown, '/v1/set-up/console', {})),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [302, ...Array(9).fill(403)]);
    const late = await new FormBrowser(app.address).open(path);
    assert.equal(late.status, 403);
    assert.match(late.text, /used or is too old/);
  });

  test('a form without the proof of its page does not sign in, and leaves the link as it was', async () => {
    const path = await link();
    const token = path.split('=')[1] ?? '';
    const browser = new FormBrowser(app.address);
    const forged = await browser.post('/v1/set-up/console', { token, proof: 'guessed' });
    assert.equal(forged.status, 400);
    assert.equal(browser.cookies.get('ploidy-session'), undefined);
    assert.equal((await press(new FormBrowser(app.address), path)).status, 302);
  });

  test('expired links, links of another purpose and invented ones do not sign in', async () => {
    const paths = [await link(-1), await link(60_000, 'first-password'), '/v1/set-up/console?token=invented'];
    for (const path of paths) {
      const browser = new FormBrowser(app.address);
      assert.ok((await browser.open(path)).status >= 400, path);
      assert.equal(browser.cookies.get('ploidy-session'), undefined);
    }
  });
});
