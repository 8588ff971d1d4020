/** People sign in with a real browser, without a script, at an application on another port. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import {
  codeAt,
  stepAt,
} from '../../packages/server/src/domains/authentication/sign-in/second-factor/totp.ts';
import {
  makePerson,
  password,
} from '../../packages/server/src/domains/authentication/sign-in/tests/form-browser.fixture.ts';
import { pkce } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { linkIn } from '../support/mail-server.ts';
import { until } from '../support/until.ts';
import { Application, listening } from './application.ts';
import { browserSkip, openChromium, openContext, photograph } from './chromium.ts';

const email = 'jane.doe@hospital.example';

describe('signing in with a browser', { skip: browserSkip }, () => {
  let app: TestApp;
  let application: Application;
  let browser: Browser;
  before(async () => {
    app = await openTestApp();
    application = await Application.open(app);
    await makePerson(app, email);
    browser = await openChromium();
  });
  after(async () => {
    await browser?.close();
    application?.close();
    await app?.stop();
  });

  const open = async (): Promise<Page> => (await openContext(browser)).page;
  const fill = async (page: Page, word: string) => {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(word);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const who = (page: Page) => page.locator('#who').textContent();

  test('a wrong password is reported beside the fields, the right one leads back to the application', async () => {
    const page = await open();
    await page.goto(`${application.origin}/start`);
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Sign in');
    assert.equal(await page.locator(':focus').getAttribute('id'), 'email');
    await photograph(page, 'sign-in');
    await fill(page, 'wrong password');
    assert.match((await page.getByRole('alert').textContent()) ?? '', /is wrong/);
    assert.equal(await page.getByLabel('E-mail address').inputValue(), email);
    await photograph(page, 'sign-in-wrong');
    await fill(page, password);
    assert.equal(await who(page), email);
    assert.equal(new URL(page.url()).origin, application.origin);
    await page.goto(`${application.origin}/start?flow=implicit`);
    assert.equal(await who(page), 'token works: 200', 'signed in already');
  });

  test('implicit works from the form as well', async () => {
    const page = await open();
    await page.goto(`${application.origin}/start?flow=implicit`);
    await fill(page, password);
    assert.equal(await who(page), 'token works: 200');
  });

  test('an application whose callback sends people on to another origin gets them there when it has registered one', async () => {
    const home = await listening((_request, response) => response.end('<p id="who">home</p>'));
    const callbacks = await listening((_request, response) =>
      response.writeHead(302, { location: `${home.origin}/start` }).end(),
    );
    const made = await app.call('POST', '/v1/clients', {
      body: {
        name: 'Two origins',
        callbackUrls: [`${callbacks.origin}/callback`],
        logoutUrls: [`${home.origin}/goodbye`],
        allowedOAuthFlows: ['implicit'],
      },
    });
    const request = {
      response_type: 'token',
      client_id: made.body.id,
      redirect_uri: `${callbacks.origin}/callback`,
    };
    const page = await open();
    await page.goto(`${app.address}/v1/oauth/authorize?${new URLSearchParams(request)}`);
    await fill(page, password);
    assert.equal(await who(page), 'home');
    assert.equal(page.url(), `${home.origin}/start`);
    for (const one of [home, callbacks]) one.close();
  });

  test('everything can be done with the keyboard', async () => {
    const page = await open();
    await page.goto(`${application.origin}/start`);
    // The browser gives the field the focus by itself, with its first picture of the page.
    await page.locator('input[name=email]:focus').waitFor();
    await page.keyboard.type(email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    assert.equal(await who(page), email);
  });

  test('a signed-in user lets in the command line with a click, which returns to its address', async () => {
    const home = await listening((_request, response) => response.end('<p id="who">let in</p>'), '127.0.0.1');
    const request = {
      response_type: 'code',
      client_id: 'ploidy-command-line',
      redirect_uri: `${home.origin}/callback`,
      ...pkce().challenge,
    };
    const page = await open();
    await page.goto(`${application.origin}/start`);
    await fill(page, password);
    assert.equal(await who(page), email);
    await page.goto(`${app.address}/v1/oauth/authorize?${new URLSearchParams(request)}`);
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Allow the command line?');
    await photograph(page, 'command-line');
    await page.getByRole('button', { name: 'Allow' }).click();
    assert.equal(await who(page), 'let in');
    assert.ok(new URL(page.url()).searchParams.get('code'));
    home.close();
  });

  test('signing in at the page of a device leads back to it, with the code that was typed', async () => {
    const body = new URLSearchParams({ client_id: 'ploidy-command-line' });
    const reply = await fetch(`${app.address}/v1/oauth/device_authorization`, { method: 'POST', body });
    const { user_code: code } = (await reply.json()) as { user_code: string };
    const page = await open();
    await page.goto(`${app.address}/v1/device?user_code=${code}`);
    await photograph(page, 'device-sign-in-first');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await fill(page, 'wrong password');
    await fill(page, password);
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Allow this device?');
    assert.equal(await page.getByText(code, { exact: true }).count(), 1);
    await page.getByRole('button', { name: 'Allow' }).click();
    assert.match((await page.getByRole('heading', { level: 1 }).textContent()) ?? '', /signed in/);
    const other = await open();
    await other.goto(`${app.address}/v1/oauth/sign-in?return=device-@evil.example`);
    await fill(other, password);
    await other.waitForURL(`${app.address}/`);
  });

  // asvs: 3.4.6
  test('another site can neither frame the form nor send it', async () => {
    const page = await open();
    const { page: evil } = await openContext(browser);
    await evil.route('https://evil.example/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${app.address}/v1/oauth/sign-in"></iframe><form method="post" action="${app.address}/v1/oauth/sign-in">
<input name="request" value=""><input name="proof" value="x"><input name="email" value="${email}"><input name="password" value="${password}">
<button>Win</button></form>`,
      }),
    );
    await evil.goto('https://evil.example/');
    const framed = evil.frames().find((frame) => frame !== evil.mainFrame());
    assert.equal(await framed?.getByLabel('Password').count(), 0);
    await evil.getByRole('button', { name: 'Win' }).click();
    assert.match((await evil.getByRole('alert').textContent()) ?? '', /in another browser/);
    assert.deepEqual(
      (await evil.context().cookies()).filter(({ name }) => name === 'ploidy-session'),
      [],
    );
    await page.close();
  });

  test('a user turns on the second factor, signs in with it, and manages the own sign-in', async () => {
    const page = await open();
    await page.goto(`${app.address}/v1/security`);
    await page.waitForURL('**/v1/oauth/sign-in?return=security');
    await fill(page, password);
    await page.waitForURL(`${app.address}/v1/security`);
    await photograph(page, 'security');
    await page.getByRole('link', { name: 'Turn it on' }).click();
    await photograph(page, 'enrolment');
    await page.getByText('Enter the key by hand').click();
    const secret = ((await page.locator('details code').first().textContent()) ?? '').replaceAll(' ', '');
    await page.getByLabel('Code from your authenticator').fill(codeAt(secret, stepAt(Date.now()) - 1));
    await page.getByLabel('Your current password').fill(password);
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.locator('.codes li').first().waitFor();
    assert.equal(await page.locator('.codes li').count(), 10);
    await photograph(page, 'recovery-codes');
    await page.getByRole('link', { name: 'I have kept them' }).click();
    assert.match((await page.locator('main').textContent()) ?? '', /10 recovery codes are left/);
    const other = await open();
    await other.goto(`${application.origin}/start`);
    await fill(other, password);
    await photograph(other, 'second-step');
    await other.getByLabel('Code from your authenticator').fill('000 000');
    await other.getByRole('button', { name: 'Continue' }).click();
    assert.match((await other.getByRole('alert').textContent()) ?? '', /This code is wrong/);
    await other.getByLabel('Code from your authenticator').fill(codeAt(secret, stepAt(Date.now())));
    await other.getByRole('button', { name: 'Continue' }).click();
    assert.equal(await who(other), email);
    await page.reload();
    await photograph(page, 'security-on');
    await page
      .getByRole('button', { name: /^Sign out of/ })
      .first()
      .click();
    assert.match((await page.getByRole('status').textContent()) ?? '', /The other browser is signed out/);
    await page.getByText('Turn it off').click();
    await page.locator('#current-remove').fill(password);
    await page.getByRole('button', { name: 'Turn off' }).click();
    assert.match((await page.getByRole('status').textContent()) ?? '', /Codes are no longer required/);
  });

  test('a user with a forgotten password gets a link by mail, chooses a new one and signs in', async () => {
    const page = await open();
    await page.goto(`${application.origin}/start`);
    await page.getByRole('link', { name: 'Forgotten your password?' }).click();
    await photograph(page, 'forgotten');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    assert.match((await page.getByRole('status').textContent()) ?? '', /If jane/);
    await photograph(page, 'mail-sent');
    const outbox = join(app.folder, 'outbox');
    await until(
      () => existsSync(outbox) && readdirSync(outbox).some((name) => /^password\..*\.eml$/.test(name)),
      'a mail',
    );
    const name = readdirSync(outbox).find((one) => one.startsWith('password.')) ?? '';
    await page.goto(linkIn(readFileSync(join(outbox, name), 'utf8')));
    await photograph(page, 'new-password');
    const stored = await page.locator('[name=username]').boundingBox();
    assert.deepEqual([stored?.width, stored?.height], [1, 1], 'for password stores, not for the eye');
    const word = 'a better password';
    await page.getByLabel('New password').fill(word);
    await page.getByLabel('Repeat the password').fill('something else');
    await page.getByRole('button', { name: 'Set password' }).click();
    assert.match((await page.getByRole('alert').textContent()) ?? '', /The two passwords differ/);
    await page.getByLabel('New password').fill(word);
    await page.getByLabel('Repeat the password').fill(word);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await fill(page, word);
    await page.waitForURL(`${app.address}/`);
    await page.goto(`${application.origin}/start`);
    assert.equal(await who(page), email);
    await signOut(page);
  });

  async function signOut(page: Page): Promise<void> {
    const query = {
      client_id: application.clients.code,
      post_logout_redirect_uri: `${application.origin}/goodbye`,
      state: 'until soon',
    };
    await page.goto(`${app.address}/v1/oauth/logout?${new URLSearchParams(query)}`);
    await photograph(page, 'logout');
    await page.getByRole('button', { name: 'Sign out' }).click();
    assert.equal(await who(page), 'goodbye until soon');
    await page.goto(`${application.origin}/start`);
    assert.equal(await page.getByLabel('Password').count(), 1, 'signed out');
  }

  test('pages with errors are pages too', async () => {
    const page = await open();
    await page.goto(`${app.address}/v1/oauth/authorize?client_id=nobody&redirect_uri=https://evil.example`);
    assert.match((await page.getByRole('alert').textContent()) ?? '', /no application with this client_id/);
    await photograph(page, 'fault');
  });
});
