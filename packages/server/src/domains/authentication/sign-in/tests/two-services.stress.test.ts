/** Two services with shared records: single use and revocation hold across both. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openTestApp, type TestApp } from '../../../../../../../test/support/app.ts';
import { freePort } from '../../../../../../../test/support/free-port.ts';
import { postgresSkip, startPrepared } from '../../../../../../../test/support/postgres.ts';
import { until } from '../../../../../../../test/support/until.ts';
import { newToken } from '../../../../platform/secrets/secret-token.ts';
import { TokenFlow } from '../../oauth/tests/token-flow.fixture.ts';
import { storeToken } from '../../setup/one-time-links.ts';
import { codeAt, stepAt } from '../second-factor/totp.ts';
import { FormBrowser, makePerson, password, type Shown, signInTo } from './form-browser.fixture.ts';
import { signedIn } from './signed-in.fixture.ts';

const enrolPath = '/v1/security/second-factor';
const stepPath = '/v1/oauth/second-step';
const setPath = '/v1/set-up/password';
const ten = Array.from({ length: 10 }, (_, index) => index);

describe('two services on one database', { skip: postgresSkip }, () => {
  let database: { url: string; stop(): Promise<void> };
  let services: [TestApp, TestApp];
  let flows: [TokenFlow, TokenFlow];
  let user = '';
  const email = 'twice@example.test';
  /** Alternates between the two. */
  const turn = <T>(both: [T, T], index: number): T => (index % 2 === 0 ? both[0] : both[1]);

  before(async () => {
    database = await startPrepared();
    const [port, other] = [await freePort(), await freePort()];
    // One name for both, as behind a load balancer.
    const shared = { PLOIDY_DATABASE_URL: database.url, PLOIDY_PUBLIC_URL: `http://127.0.0.1:${port}` };
    const one = await openTestApp({ ...shared, PLOIDY_PORT: String(port) });
    const two = await openTestApp({ ...shared, PLOIDY_PORT: String(other), PLOIDY_DATA_DIR: one.folder });
    const address = `http://127.0.0.1:${other}`;
    const call: TestApp['call'] = async (method, path, options = {}) => {
      const { key = undefined, body, headers } = { key: one.key, ...options };
      const init = {
        'service-account': one.account,
        ...(key !== undefined && { authorization: key }),
        ...headers,
      };
      const response = await fetch(`${address}${path}`, {
        method,
        headers: init,
        ...(body !== undefined && { body: String(body) }),
      });
      const text = await response.text();
      const json = response.headers.get('content-type')?.startsWith('application/json');
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: json ? JSON.parse(text) : undefined,
      };
    };
    services = [one, { ...two, address, call, key: one.key, account: one.account }];
    user = await makePerson(one, email);
    const flow = await TokenFlow.open(one);
    const cookie = await signedIn(one, user);
    flows = [
      new TokenFlow(services[0], user, cookie, flow.client),
      new TokenFlow(services[1], user, cookie, flow.client),
    ];
  });
  after(async () => {
    for (const service of services ?? []) await service.stop();
    await database?.stop();
  });

  const refused = (token: string, by = flows[1]) =>
    until(async () => (await by.works(token)) === 401, 'a refusal');

  // asvs: 10.4.2
  test('one of ten concurrent exchanges of a code succeeds, and its tokens are revoked in both', async () => {
    const { code, verifier } = await flows[0].ask();
    const replies = await Promise.all(
      ten.map((index) => turn(flows, index).exchange(flows[0].client.id, code, verifier)),
    );
    const [only, ...more] = replies.filter(({ status }) => status === 200);
    assert.ok(only);
    assert.deepEqual(more, []);
    for (const flow of flows) await refused(only.body.access_token, flow);
    assert.equal((await flows[1].refresh(only.body.refresh_token)).body.error, 'invalid_grant');
  });

  test('ten concurrent refreshes with one token return one successor', async () => {
    const { refresh_token } = await flows[0].signIn();
    const replies = await Promise.all(ten.map((index) => turn(flows, index).refresh(refresh_token)));
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    assert.equal(new Set(replies.map(({ body }) => body.refresh_token)).size, 1);
  });

  // asvs: 7.4.1
  test('a token revoked in one, of a session ended there, is invalid in the other', async () => {
    const tokens = await flows[0].signIn();
    assert.equal(await flows[1].works(tokens.access_token), 200, 'the other has it in its cache');
    const form = { client_id: flows[0].client.id, token: tokens.access_token };
    const body = new URLSearchParams(form);
    assert.equal(
      (await fetch(`${services[0].address}/v1/oauth/revoke`, { method: 'POST', body })).status,
      200,
    );
    await refused(tokens.access_token);
    const browser = new FormBrowser(services[0].address);
    await signInTo(browser, email);
    const cookie = `ploidy-session=${browser.cookies.get('ploidy-session')}`;
    const again = await new TokenFlow(services[0], user, cookie, flows[0].client).signIn();
    const there = () => fetch(`${services[1].address}/v1/accounts`, { headers: { cookie } });
    assert.deepEqual([(await there()).status, await flows[1].works(again.access_token)], [200, 200]);
    const page = await browser.open('/v1/oauth/logout');
    assert.equal((await browser.submit(page, '/v1/oauth/logout', {})).status, 200);
    await until(async () => (await there()).status === 401, 'the end of the session');
    await refused(again.access_token);
  });

  test('a new password in one ends sessions and tokens in the other', async () => {
    const cookie = await signedIn(services[1], user);
    const tokens = await new TokenFlow(services[1], user, cookie, flows[1].client).signIn();
    assert.equal(await flows[1].works(tokens.access_token), 200);
    const browser = new FormBrowser(services[0].address);
    await signInTo(browser, email);
    const page = await browser.open('/v1/security');
    const fields = { current: password, password: `${password} 2`, repeated: `${password} 2` };
    assert.equal((await browser.submit(page, '/v1/security/password', fields)).status, 302);
    await refused(tokens.access_token);
    const there = () => fetch(`${services[1].address}/v1/accounts`, { headers: { cookie } });
    await until(async () => (await there()).status === 401, 'the end of the session');
    assert.equal((await signInTo(new FormBrowser(services[1].address), email)).status, 400);
  });

  test('one of ten concurrent uses of a link for a new password succeeds', async () => {
    const { records } = services[0].people;
    const token = newToken();
    await records.transact((tx) =>
      storeToken(tx, token, { purpose: 'new-password', subject: user, lifeMs: 60_000 }),
    );
    const use = (index: number) =>
      new FormBrowser(turn(services, index).address).post(setPath, { token, password, repeated: password });
    const statuses = (await Promise.all(ten.map(use))).map(({ status }) => status);
    assert.deepEqual(
      statuses.filter((status) => status !== 403),
      [200],
    );
  });

  test('one of ten concurrent uses of an authenticator or recovery code succeeds', async () => {
    const browser = new FormBrowser(services[0].address);
    await signInTo(browser, email);
    const page = await browser.open(enrolPath);
    const secret = /<code>([A-Z2-7 ]{30,})<\/code>/.exec(page.text)?.[1]?.replaceAll(' ', '') ?? '';
    const code = (aside: number) => codeAt(secret, stepAt(Date.now()) + aside);
    const on = await browser.submit(page, enrolPath, { code: code(-1), current: password });
    const recovery = /<code>([A-Z2-7]{5}-[A-Z2-7]{5})<\/code>/.exec(on.text)?.[1] ?? '';
    assert.ok(recovery, on.text);
    for (const factor of [code(0), recovery]) {
      const steps: [FormBrowser, Shown][] = [];
      // Five attempts are free of delays: this test is about concurrency.
      for (const index of ten.slice(0, 5)) {
        const other = new FormBrowser(turn(services, index).address);
        steps.push([other, await signInTo(other, email)]);
      }
      const sent = await Promise.all(
        [...steps, ...steps].map(([other, step]) => other.submit(step, stepPath, { code: factor })),
      );
      assert.equal(
        sent.filter(({ status }) => status === 302).length,
        1,
        sent.map(({ status }) => status).join(),
      );
      await services[0].people.records.transact((tx) => tx.deleteFrom('sign_in_delays').execute());
    }
  });

  // asvs: 7.4.2
  test('a user removed from the account in one has no access by the other', async () => {
    const tokens = await new TokenFlow(
      services[0],
      user,
      await signedIn(services[0], user),
      flows[0].client,
    ).signIn();
    const key = await services[0].people.key(user, services[0].account);
    await until(async () => (await flows[1].works(key)) === 200, 'the new key works');
    assert.equal(await flows[1].works(tokens.access_token), 200);
    const { body } = await services[0].call('GET', '/v1/accounts/main?include=groups');
    const { id } = body.groups.find(({ name }: { name: string }) => name === 'Users');
    assert.equal((await services[0].call('DELETE', `/v1/account/groups/${id}/members/${user}`)).status, 204);
    await refused(tokens.access_token);
    await refused(key);
    assert.equal((await flows[1].refresh(tokens.refresh_token)).body.error, 'invalid_grant');
  });
});
