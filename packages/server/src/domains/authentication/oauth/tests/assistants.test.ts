/** Programs of assistants register themselves, and get tokens for one account after the consent of a user. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp, type Reply } from '../../../../../../../test/support/app.ts';
import {
  FormBrowser,
  makePerson,
  password,
  type Shown,
  signInTo,
} from '../../sign-in/tests/form-browser.fixture.ts';
import { pkce, postForm } from '../../sign-in/tests/signed-in.fixture.ts';

const consentPath = '/v1/oauth/command-line';
const email = 'asks@example.test';
const redirect_uri = 'http://localhost:50123/callback';

describeApp('assistants that register themselves', (app) => {
  const { verifier, challenge } = pkce();
  const register = (body: object): Promise<Reply> =>
    app.call('POST', '/v1/oauth/register', { key: undefined, account: undefined, body });
  const made = async (client_name = 'Helper <b>'): Promise<string> => {
    const reply = await register({ redirect_uris: [redirect_uri], client_name, grant_types: ['implicit'] });
    assert.equal(reply.status, 201, reply.text);
    assert.equal(reply.body.token_endpoint_auth_method, 'none');
    return reply.body.client_id;
  };
  const resourceOf = (account: string) => `${app.address}/${account}/mcp`;
  const link = (client_id: string, more: Record<string, string> = {}) =>
    `/v1/oauth/authorize?${new URLSearchParams({
      ...{ response_type: 'code', client_id, redirect_uri, resource: resourceOf(app.account) },
      ...challenge,
      ...more,
    })}`;
  const codeIn = ({ location }: Shown) => new URL(location ?? 'none:').searchParams.get('code') ?? '';
  const tokens = (client_id: string, code: string, more: Record<string, string> = {}) =>
    postForm(app, '/v1/oauth/token', {
      ...{ grant_type: 'authorization_code', client_id, redirect_uri, code, code_verifier: verifier },
      ...more,
    });
  const browser = async (): Promise<FormBrowser> => {
    const one = new FormBrowser(app.address);
    await signInTo(one, email);
    return one;
  };
  const consent = async (client: string): Promise<Shown> => {
    const one = await browser();
    return one.submit(await one.open(link(client)), consentPath, {});
  };
  const ask = (token: string, account = app.account): Promise<Reply> =>
    app.call('POST', `/${account}/mcp`, {
      ...{ key: `Bearer ${token}`, account: undefined },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects' } },
    });
  const allow = (assistants: string) =>
    app.call('PATCH', `/v1/accounts/${app.account}`, { body: { assistants } });

  before(async () => {
    await makePerson(app, email);
    await allow('read');
  });

  test('the metadata leads to the registration', async () => {
    const { body } = await app.call('GET', '/.well-known/oauth-authorization-server/v1');
    assert.equal(body.registration_endpoint, `${app.address}/v1/oauth/register`);
  });

  test('a user consents on a page that names the program, its place and the account; then tokens work there alone', async () => {
    const client = await made();
    const one = await browser();
    const page = await one.open(link(client));
    assert.match(page.text, /Helper &lt;b&gt;/);
    assert.match(page.text, /localhost:50123/);
    const code = codeIn(await one.submit(page, consentPath, {}));
    const other = await tokens(client, code, { resource: resourceOf('other') });
    assert.equal(other.body.error, 'invalid_target');
    const reply = await tokens(client, code, { resource: resourceOf(app.account) });
    assert.equal(reply.status, 200, reply.text);
    const { access_token: token, refresh_token: refresh } = reply.body;
    const answer = await ask(token);
    assert.equal(answer.body.result?.isError, false, answer.text);
    // The API refuses what was issued for assistants.
    for (const path of ['/v1/projects', '/v1/user', '/v1/oauth/userinfo', '/v1/accounts'])
      assert.equal((await app.call('GET', path, { key: `Bearer ${token}` })).status, 401, path);
    await app.people.owner('elsewhere');
    assert.equal((await ask(token, 'elsewhere')).status, 404);
    const again = await postForm(app, '/v1/oauth/token', {
      ...{ grant_type: 'refresh_token', client_id: client, refresh_token: refresh },
    });
    assert.equal((await ask(again.body.access_token)).status, 200);
    const listed = await app.call('GET', '/v1/clients');
    const found = listed.body.clients.find(({ id }: { id: string }) => id === client);
    assert.equal(found?.registered, true, listed.text);
    assert.equal((await app.call('DELETE', `/v1/clients/${client}`)).status, 204);
    assert.equal((await ask(again.body.access_token)).status, 401);
  });

  test('a sign-in is no consent: the page follows it', async () => {
    const one = new FormBrowser(app.address);
    const client = await made();
    const page = await one.open(link(client, { prompt: 'login' }));
    assert.match(page.text, /A program gave itself this name/);
    const { location = '' } = await one.submit(page, '/v1/oauth/sign-in', { email, password });
    assert.match(location, /^\/v1\/oauth\/authorize\?/);
    assert.match((await one.open(location)).text, /Let an assistant read as you\?/);
  });

  test('tokens of the API are refused by the endpoint of assistants, keys are not', async () => {
    const one = await browser();
    const redirect = 'http://127.0.0.1:50000/callback';
    const request = { response_type: 'code', client_id: 'ploidy-command-line', redirect_uri: redirect };
    const page = await one.open(`/v1/oauth/authorize?${new URLSearchParams({ ...request, ...challenge })}`);
    const code = codeIn(await one.submit(page, consentPath, {}));
    const { body } = await tokens(request.client_id, code, { redirect_uri: redirect });
    assert.equal((await ask(body.access_token)).status, 401);
    assert.equal((await ask(app.key)).status, 200);
  });

  test('a wrong request is a page, never a redirect to an address without consent', async () => {
    const client = await made();
    const one = await browser();
    for (const more of [
      { prompt: 'none' },
      { resource: `${app.address}/v1` },
      { resource: 'https://elsewhere.example/main/mcp' },
      { scope: 'email' },
      { code_challenge_method: 'plain' },
    ]) {
      const { status, location } = await one.open(link(client, more));
      assert.deepEqual([status, location], [400, undefined], JSON.stringify(more));
    }
    const elsewhere = await one.open(link(client, { resource: resourceOf('far-away') }));
    const refused = await one.submit(elsewhere, consentPath, {});
    assert.equal(new URL(refused.location ?? '').searchParams.get('error'), 'access_denied');
  });

  test('one program is of one account: that of its first consent', async () => {
    const client = await made();
    assert.ok(codeIn(await consent(client)));
    const one = await browser();
    const { status } = await one.open(link(client, { resource: resourceOf('elsewhere') }));
    assert.equal(status, 400);
  });

  test('consent is refused while assistants are off', async () => {
    await allow('off');
    try {
      const { location = '' } = await consent(await made());
      assert.equal(new URL(location).searchParams.get('error'), 'access_denied');
    } finally {
      await allow('read');
    }
  });

  test('addresses that are not safe, and too many registrations, are refused', async () => {
    for (const uri of ['http://evil.example/', 'javascript:alert(1)', 'https://a.example/#x', 'cursor://x/y'])
      assert.equal((await register({ redirect_uris: [uri] })).body.error, 'invalid_redirect_uri', uri);
    assert.equal((await register({ client_name: 'x' })).body.error, 'invalid_client_metadata');
    const statuses = new Set<number>();
    for (let count = 0; count < 60; count += 1)
      statuses.add((await register({ redirect_uris: [redirect_uri] })).status);
    assert.deepEqual([...statuses].sort(), [201, 429]);
  });

  test('registrations without consent end after a day, and clients without grants too', async () => {
    const { records } = app.people;
    const left = async () =>
      (await records.read.selectFrom('client_registrations').select('id').execute()).length;
    assert.ok((await left()) > 0);
    const clients = async () => (await app.call('GET', '/v1/clients')).body.clients.length;
    assert.ok((await clients()) > 0);
    await records.transact(async (tx) => {
      await tx.updateTable('client_registrations').set({ created_at: 0 }).execute();
      await tx.updateTable('clients').set({ created_at: 0 }).execute();
    });
    const { Registrations } = await import('../../clients/registrations.ts');
    const registrations = new Registrations(records, app.app.core.audit);
    await registrations.sweep();
    assert.equal(await left(), 0);
    assert.ok((await clients()) > 0, 'clients with grants stay');
    await records.transact((tx) => tx.deleteFrom('grants').execute());
    await registrations.sweep();
    assert.equal(await clients(), 0);
  });
});
