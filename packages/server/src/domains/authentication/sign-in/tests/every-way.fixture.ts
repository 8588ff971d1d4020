import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallOptions, Reply, TestApp } from '../../../../../../../test/support/app.ts';
import { linkIn } from '../../../../../../../test/support/mail-server.ts';
import type { TestServer } from '../../../../../../../test/support/server.ts';
import { until } from '../../../../../../../test/support/until.ts';
import { begin, codeOf, finish, post, responseTo } from '../../saml/tests/saml-browser.fixture.ts';
import type { TestProvider } from '../../saml/tests/saml-provider.fixture.ts';
import { codeAt, stepAt } from '../second-factor/totp.ts';
import { FormBrowser, signInTo } from './form-browser.fixture.ts';
import { callback, makeClient, pkce, postForm } from './signed-in.fixture.ts';

const email = 'admin@localhost';
const first = 'first password of the run';
const second = 'second password of the run';
const third = 'third password of the run';
const wrong = 'a password that is wrong';
const tokenPath = '/v1/oauth/token';
const enrolPath = '/v1/security/second-factor';
const stepPath = '/v1/oauth/second-step';
const forgottenPath = '/v1/oauth/forgotten-password';

/**
 * Signs the administrator in by every method, each with an error. Collects the values that must not be found
 * afterwards.
 */
export async function signInEveryWay(
  server: TestServer,
  provider: TestProvider,
  keep: (what: string, secret: string | undefined) => string,
): Promise<void> {
  const app = { address: server.baseUrl, folder: server.folder, call } as TestApp;
  await setPassword(server.firstRun.signInUrl, first);
  await byPassword();
  await byApplication();
  await bySecondStep();
  await byProvider();
  await byMail();

  async function call(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
    const { body, headers, key } = { key: server.apiKey, ...options };
    const response = await fetch(`${server.baseUrl}${path}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: key }),
        'service-account': server.account,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.startsWith('application/json');
    const read = json ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, body: read };
  }

  async function setPassword(link: string, password: string): Promise<void> {
    const [address = ''] = link.split('?');
    const token = keep(`token of a link for ${password}`, new URL(link).searchParams.get('token') ?? '');
    const form = new URLSearchParams({ token, password, repeated: password });
    for (const status of [200, 403])
      assert.equal((await fetch(address, { method: 'POST', body: form })).status, status);
    assert.equal((await fetch(link)).status, 403);
  }

  async function byPassword(): Promise<void> {
    const browser = new FormBrowser(server.baseUrl);
    assert.equal((await signInTo(browser, email, wrong)).status, 400);
    assert.equal((await signInTo(browser, email, first)).status, 302);
    const cookie = keep('a session', browser.cookies.get('ploidy-session'));
    keep('what binds a form', browser.cookies.get('ploidy-form'));
    const page = await browser.open('/v1/security');
    const change = (current: string) =>
      browser.submit(page, '/v1/security/password', { current, password: second, repeated: second });
    assert.equal((await change(wrong)).status, 400);
    assert.equal((await change(first)).status, 302);
    const foreign = { cookie: `ploidy-session=${cookie}`, origin: 'https://evil.example' };
    assert.equal((await call('DELETE', '/v1/sessions/x', { key: undefined, headers: foreign })).status, 403);
    const made = await call('POST', '/v1/api-keys', { body: { name: 'Of the run', expireInDays: 1 } });
    const key = keep('an API key', made.body.key);
    assert.equal((await call('DELETE', `/v1/api-keys/${made.body.id}`)).status, 204);
    assert.equal((await call('GET', '/v1/accounts', { key })).status, 401);
    for (const [what, word] of Object.entries({ first, second, third, wrong }))
      keep(`password: ${what}`, word);
  }

  /**
   * Runs code with PKCE and a secret, refresh, replay, revocation, implicit, client credentials; each with an
   * error.
   */
  async function byApplication(): Promise<void> {
    const flows = ['code', 'implicit', 'client_credentials'];
    const client = await makeClient(app, { generateSecret: true, allowedOAuthFlows: flows });
    const old = keep('an old client secret', client.secret);
    const rotated = await call('PUT', `/v1/clients/${client.id}`, { body: { generateSecret: true } });
    const secret = keep('a client secret', rotated.body.secret);
    const browser = new FormBrowser(server.baseUrl);
    await signInTo(browser, email, second);
    const { verifier, challenge } = pkce();
    keep('a verifier', verifier);
    const request = {
      client_id: client.id,
      redirect_uri: callback,
      scope: 'openid email',
      state: 'of-the-application',
    };
    const ask = async (more: Record<string, string>) => {
      const { location = '' } = await browser.open(
        `/v1/oauth/authorize?${new URLSearchParams({ ...request, ...more })}`,
      );
      return new URL(location).searchParams;
    };
    const code = keep('a code', (await ask({ response_type: 'code', ...challenge })).get('code') ?? '');
    const basic = (word: string) => ({
      authorization: `Basic ${Buffer.from(`${client.id}:${word}`).toString('base64')}`,
    });
    const redeem = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: callback,
      code_verifier: verifier,
    };
    assert.equal((await postForm(app, tokenPath, redeem, basic(old))).status, 401);
    assert.equal(
      (await postForm(app, tokenPath, { ...redeem, redirect_uri: 'https://x.example' }, basic(secret)))
        .status,
      400,
    );
    const tokens = (await postForm(app, tokenPath, redeem, basic(secret))).body;
    for (const kind of ['access_token', 'refresh_token', 'id_token']) keep(kind, tokens[kind]);
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    const posted = { client_id: client.id, client_secret: secret };
    const next = (await postForm(app, tokenPath, { ...refresh, ...posted })).body;
    keep('a later refresh token', next.refresh_token);
    assert.equal((await postForm(app, tokenPath, { ...refresh, ...posted, scope: 'x' })).status, 400);
    await call('GET', `/v1/accounts?access_token=${next.access_token}`, {
      key: `Bearer ${next.access_token}`,
    });
    await call('GET', '/v1/oauth/userinfo', { key: `Bearer ${next.access_token}` });
    assert.equal((await postForm(app, tokenPath, redeem, basic(secret))).status, 400);
    assert.equal(
      (await postForm(app, '/v1/oauth/revoke', { ...posted, token: next.refresh_token })).status,
      200,
    );
    assert.equal((await postForm(app, tokenPath, { ...refresh, ...posted })).status, 400);
    assert.equal((await call('GET', '/v1/accounts', { key: next.access_token })).status, 401);
    keep('an implicit token', (await ask({ response_type: 'token' })).get('access_token') ?? '');
    await ask({ response_type: 'code', prompt: 'none', id_token_hint: next.access_token });
    const own = await postForm(app, tokenPath, { grant_type: 'client_credentials', ...posted });
    keep('a token of a client', own.body.access_token);
    const hint = new URLSearchParams({
      id_token_hint: tokens.id_token,
      post_logout_redirect_uri: 'https://x.example',
    });
    assert.equal((await browser.open(`/v1/oauth/logout?${hint}`)).status, 400);
    await browser.open(`/v1/oauth/logout?${new URLSearchParams({ id_token_hint: tokens.id_token })}`);
  }

  async function bySecondStep(): Promise<void> {
    const browser = new FormBrowser(server.baseUrl);
    await signInTo(browser, email, second);
    const page = await browser.open(enrolPath);
    const secret = /<code>([A-Z2-7 ]{30,})<\/code>/.exec(page.text)?.[1]?.replaceAll(' ', '') ?? '';
    keep('the key of an authenticator', secret);
    const code = (aside: number) => codeAt(secret, stepAt(Date.now()) + aside);
    const on = await browser.submit(page, enrolPath, { code: code(-1), current: second });
    const [recovery = ''] = [...on.text.matchAll(/<code>([A-Z2-7]{5}-[A-Z2-7]{5})<\/code>/g)].map(
      ([, one]) => one,
    );
    keep('a recovery code', recovery);
    const other = new FormBrowser(server.baseUrl);
    const step = await signInTo(other, email, second);
    const used = code(0);
    // Six digits may occur in a log by chance, in quotes they do not.
    keep('a code of an authenticator', `"${used}"`);
    assert.equal((await other.submit(step, stepPath, { code: used })).status, 302);
    for (const status of [302, 400]) {
      const other = new FormBrowser(server.baseUrl);
      assert.equal(
        (await other.submit(await signInTo(other, email, second), stepPath, { code: recovery })).status,
        status,
      );
    }
  }

  async function byProvider(): Promise<void> {
    const client = await makeClient(app, {
      identityProviders: ['SAML'],
      customIdentityProvider: { metadataUrl: provider.metadataUrl },
    });
    for (const change of [{}, { audience: 'https://x.example' }]) {
      const begun = await begin(app, client.id);
      const name = `name-of-a-person-${Object.keys(change).length}`;
      const xml = responseTo(app, provider, begun, { ...change, nameId: name });
      keep(`a response ${name}`, Buffer.from(xml).toString('base64').slice(200, 300));
      keep(`an assertion ${name}`, /<SignatureValue>([^<]{40})/.exec(xml)?.[1]);
      keep(`a relay state ${name}`, begun.relayState);
      keep(`a browser ${name}`, begun.cookie.split('=')[1]);
      const accepted = await post(app, xml, begun.relayState);
      assert.equal(accepted.status, Object.keys(change).length === 0 ? 302 : 403);
      assert.equal((await post(app, xml, begun.relayState)).status, 403);
      if (accepted.status !== 302) continue;
      keep('a handle', new URL(accepted.location, app.address).searchParams.get('handle') ?? '');
      keep('a code after SAML', codeOf(await finish(app, accepted, begun.cookie)));
      assert.equal((await finish(app, accepted, begun.cookie)).status, 403);
    }
  }

  async function byMail(): Promise<void> {
    const browser = new FormBrowser(server.baseUrl);
    await browser.submit(await browser.open(forgottenPath), forgottenPath, { email });
    const outbox = join(server.folder, 'outbox');
    const mail = () =>
      readdirSync(outbox, { recursive: true }).find((name) => String(name).startsWith('password.'));
    await until(() => readdirSync(server.folder).includes('outbox') && mail() !== undefined, 'a mail');
    await setPassword(linkIn(readFileSync(join(outbox, String(mail())), 'utf8')), third);
  }
}
