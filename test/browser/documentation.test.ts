/** The page that shows the API document, under a name that browsers do not hold to be this computer. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openTestApp, type TestApp } from '../support/app.ts';
import { browserSkip, openChromium } from './chromium.ts';

describe('the page of the API document', { skip: browserSkip }, () => {
  let app: TestApp;
  let browser: Browser;

  before(async () => {
    app = await openTestApp();
    browser = await openChromium(['--host-resolver-rules=MAP ploidy.example 127.0.0.1']);
  });
  after(async () => {
    await browser?.close();
    await app?.stop();
  });

  test('the page of the API document shows the operations over plain http at another host, and loads nothing from elsewhere', async () => {
    const page = await browser.newPage();
    const origin = `http://ploidy.example:${new URL(app.address).port}`;
    const wrong: string[] = [];
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('requestfailed', (request) => wrong.push(request.url()));
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin)
        wrong.push(request.url());
    });
    await page.goto(`${origin}/docs/`);
    // All of it is drawn by a script, which may be slow on a busy machine.
    await page.locator('.opblock').first().waitFor({ timeout: 120_000 });
    assert.deepEqual(wrong, []);
  });
});
