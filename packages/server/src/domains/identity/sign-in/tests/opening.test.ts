import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { newToken } from '../../../../platform/secrets/secret-token.ts';
import { storeToken } from '../../setup/index.ts';
import { FormBrowser } from './form-browser.fixture.ts';
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

  test('a link signs in and redirects to the console', async () => {
    const browser = new FormBrowser(app.address);
    const reply = await browser.open(await link());
    assert.deepEqual([reply.status, reply.location], [302, '/']);
    const accounts = await fetch(`${app.address}/v1/accounts`, { headers: { cookie: browser.cookie } });
    assert.equal(accounts.status, 200);
  });

  test('a link works once: one of ten concurrent browsers is signed in', async () => {
    const path = await link();
    const browsers = Array.from({ length: 10 }, () => new FormBrowser(app.address));
    const replies = await Promise.all(browsers.map((browser) => browser.open(path)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [302, ...Array(9).fill(403)]);
    const late = await new FormBrowser(app.address).open(path);
    assert.equal(late.status, 403);
    assert.match(late.text, /used or is too old/);
  });

  test('a request by HEAD does not use up a link', async () => {
    const path = await link();
    const looked = await fetch(`${app.address}${path}`, { method: 'HEAD', redirect: 'manual' });
    assert.equal(looked.headers.get('set-cookie'), null);
    assert.equal((await new FormBrowser(app.address).open(path)).status, 302);
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
