/** Apps and backend services of SMART App Launch 2.2, by the requests that conformance kits send. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText } from '../../../../../../test/inputs/texts.ts';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';
import { newId } from '../../../base/ids.ts';
import { TokenFlow, tokenPath } from '../../authentication/oauth/tests/token-flow.fixture.ts';
import {
  authorize,
  callback,
  makeClient,
  pkce,
  postForm,
} from '../../authentication/sign-in/tests/signed-in.fixture.ts';

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

describeApp('SMART on FHIR', (app) => {
  let project: TestProject;
  let other: TestProject;
  let base = '';
  let keys: Awaited<ReturnType<typeof generateKeyPair>>;
  let service: { id: string };
  let flow: TokenFlow;

  before(async () => {
    project = await TestProject.make(app.call, 'SMART');
    other = await TestProject.make(app.call, 'SMART too');
    for (const one of [project, other]) await one.take('p.ndjson', fhirText('p', 2, 2));
    base = `${app.address}/${app.account}/v1/fhir/${project.id}`;
    keys = await generateKeyPair('ES384', { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'ES384' }] };
    const settings = { allowedOAuthFlows: ['client_credentials'], allowedScopes: ['system/*.rs'] };
    service = await makeClient(app, { ...settings, jwks });
    const rule = { 'user.id': { comparison: 'equals', value: service.id } };
    const policy = { rules: { readData: [rule] } };
    await app.call('POST', '/v1/policies', { body: { name: 'Backend service', policy } });
    flow = await TokenFlow.open(app);
  });

  const get = (path: string, token: string): Promise<Reply> =>
    app.call('GET', path.replace(app.address, ''), { key: `Bearer ${token}`, account: undefined });
  const count = async (path: string, token: string): Promise<number> => {
    const reply = await get(`${base}/${path}`, token);
    assert.equal(reply.status, 200, reply.text);
    return (reply.body.entry ?? []).length;
  };

  /** Signs an assertion; `more` replaces its claims. */
  async function assertion(more: object = {}, alg = 'ES384', kid = 'one'): Promise<string> {
    const claims = { iss: service.id, sub: service.id, aud: `${app.address}${tokenPath}`, jti: newId() };
    const exp = Math.floor(Date.now() / 1000) + 240;
    const { privateKey } = alg === 'ES384' ? keys : await generateKeyPair(alg);
    return new SignJWT({ ...claims, exp, ...more })
      .setProtectedHeader({ alg, kid, typ: 'JWT' })
      .sign(privateKey);
  }
  const backend = (signed: string, more: Record<string, string> = {}): Promise<Reply> =>
    postForm(app, tokenPath, {
      ...{ grant_type: 'client_credentials', scope: 'system/*.rs', client_assertion: signed },
      ...{ client_assertion_type: assertionType, ...more },
    });

  test('a backend service that signs an assertion reads with what its policies and scopes allow', async () => {
    const { status, body, text } = await backend(await assertion(), {
      scope: 'system/Observation.rs system/*.cud',
    });
    assert.equal(status, 200, text);
    assert.deepEqual([body.token_type, body.scope], ['Bearer', 'system/Observation.rs']);
    assert.ok(body.expires_in > 0 && body.expires_in <= 300);
    assert.equal(await count('Observation', body.access_token), 4);
    assert.equal(await count('Observation?_include=Observation:subject', body.access_token), 4);
    assert.equal(await count('Observation?subject:Patient.gender=female', body.access_token), 0);
    for (const path of ['Patient', 'Patient/p-0', 'Patient/p-0/$everything'])
      assert.equal((await get(`${base}/${path}`, body.access_token)).status, 403, path);
    const whole = (await backend(await assertion(), { scope: 'system/*.read' })).body;
    assert.equal(whole.scope, 'system/*.rs');
    assert.equal(await count('Observation?_include=Observation:subject', whole.access_token), 6);
  });

  test('a token of SMART is of no use outside the FHIR interface', async () => {
    const { access_token: token } = (await backend(await assertion())).body;
    for (const path of ['/v1/projects', `/v1/projects/${project.id}/fhir/$export`, '/v1/user'])
      assert.equal((await get(path, token)).status, 401, path);
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const key = `Bearer ${token}`;
    assert.equal((await app.call('POST', `/${app.account}/mcp`, { body, key })).status, 401);
  });

  test('wrong, old, long-lived and repeated assertions are refused', async () => {
    const once = await assertion();
    assert.equal((await backend(once)).status, 200);
    const now = Math.floor(Date.now() / 1000);
    const wrong: Record<string, string> = {
      repeated: once,
      audience: await assertion({ aud: 'https://other.example/token' }),
      issuer: await assertion({ iss: 'nobody' }),
      subject: await assertion({ sub: 'nobody' }),
      expired: await assertion({ exp: now - 120 }),
      'long-lived': await assertion({ exp: now + 3600 }),
      'without jti': await assertion({ jti: undefined }),
      'another key': await assertion({}, 'ES256'),
      'unknown kid': await assertion({}, 'ES384', 'two'),
      'no JWT': 'x.y.z',
    };
    for (const [what, signed] of Object.entries(wrong)) {
      const reply = await backend(signed);
      assert.equal(reply.status, 401, what);
      assert.equal(reply.body.error, 'invalid_client', what);
    }
    assert.equal((await backend(await assertion(), { grant_type: 'wrong' })).status, 400);
    assert.equal((await backend(await assertion(), { client_assertion_type: 'wrong' })).status, 400);
    assert.equal((await backend(await assertion(), { scope: 'user/*.rs' })).body.error, 'invalid_scope');
    const named = { grant_type: 'client_credentials', client_id: service.id, scope: 'system/*.rs' };
    assert.equal((await postForm(app, tokenPath, named)).status, 401);
  });

  test('a backend service exports the types of its scopes', async () => {
    const token = (await backend(await assertion(), { scope: 'system/Patient.rs' })).body.access_token;
    const start = (query: string) =>
      app.call('GET', `${base}/$export${query}`.replace(app.address, ''), {
        ...{ key: `Bearer ${token}`, account: undefined },
        headers: { prefer: 'respond-async', accept: 'application/fhir+json' },
      });
    assert.equal((await start('?_type=Observation')).status, 403);
    const reply = await start('');
    assert.equal(reply.status, 202, reply.text);
    const place = reply.headers.get('content-location') ?? '';
    const state = await get(place, token);
    assert.ok([200, 202].includes(state.status), state.text);
  });

  test('an app that a user starts reads one project, by type and by conditions of its scopes', async () => {
    const client = await makeClient(app, { allowedScopes: ['openid', 'offline_access', 'user/*.rs'] });
    const asked =
      'launch openid fhirUser offline_access user/Observation.rs?status=final user/Patient.r patient/*.rs';
    const { code, verifier } = await flow.ask(client.id, { scope: asked, aud: `${base}/` });
    const reply = await flow.exchange(client.id, code, verifier);
    assert.equal(reply.status, 200, reply.text);
    const { access_token: token, scope, refresh_token: refresh } = reply.body;
    assert.equal(scope, 'openid offline_access user/Observation.rs?status=final user/Patient.r');
    assert.equal(await count('Observation', token), 4);
    assert.equal((await get(`${base}/Patient/p-0`, token)).status, 200);
    assert.equal((await get(`${base}/Patient`, token)).status, 403);
    assert.equal(await count('Observation?_include=Observation:subject', token), 4);
    const elsewhere = base.replace(project.id, other.id);
    assert.equal((await get(`${elsewhere}/Observation`, token)).status, 401);
    const form = { grant_type: 'refresh_token', refresh_token: refresh, scope: 'user/Patient.r' };
    const narrowed = await postForm(app, tokenPath, form);
    assert.equal(narrowed.status, 200, narrowed.text);
    assert.equal((await get(`${base}/Observation`, narrowed.body.access_token)).status, 403);
    assert.equal((await get(`${base}/Patient/p-0`, narrowed.body.access_token)).status, 200);
  });

  test('an app without the address of a project, or beyond its scopes, gets no code', async () => {
    const client = await makeClient(app, { allowedScopes: ['openid', 'user/Observation.rs'] });
    const { challenge } = pkce();
    const errorOf = async (more: Record<string, string>) => {
      const request = { response_type: 'code', client_id: client.id, redirect_uri: callback, ...challenge };
      const { location } = await authorize(app, { ...request, ...more }, flow.cookie);
      return location?.searchParams.get('error');
    };
    const scope = 'user/Observation.rs';
    for (const aud of [
      'https://other.example/fhir',
      `${app.address}/nobody/v1/fhir/${project.id}`,
      `${base}/Patient/x`,
    ])
      assert.equal(await errorOf({ scope, aud }), 'invalid_target', aud);
    assert.equal(await errorOf({ scope }), 'invalid_target');
    assert.equal(await errorOf({ scope: 'user/Patient.rs', aud: base }), 'invalid_scope');
    assert.equal(await errorOf({ scope, aud: base, code_challenge_method: 'plain' }), 'invalid_request');
  });

  test('a client learns the state of its own tokens, which is that by which they are taken', async () => {
    const client = await makeClient(app, { allowedScopes: ['openid', 'offline_access', 'user/*.rs'] });
    const other = await makeClient(app, { secret: true });
    const { code, verifier } = await flow.ask(client.id, { scope: 'openid user/*.rs', aud: base });
    const first = (await flow.exchange(client.id, code, verifier)).body;
    const stateOf = async (token: string, more: Record<string, string> = { client_id: client.id }) => {
      const reply = await postForm(app, '/v1/oauth/introspect', { token, ...more });
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.headers.get('cache-control'), 'no-store');
      return reply.body;
    };
    const { exp, ...state } = await stateOf(first.access_token);
    const about = { active: true, iss: `${app.address}/v1`, sub: flow.user, client_id: client.id };
    const scope = 'openid user/*.rs';
    assert.deepEqual(state, { ...about, aud: base, token_type: 'Bearer', scope });
    assert.ok(Math.abs(exp - Date.now() / 1000 - first.expires_in) < 120);
    const { exp: end, ...refreshing } = await stateOf(first.refresh_token);
    assert.deepEqual([refreshing, end > exp], [{ ...about, scope }, true]);
    const inactive = { active: false };
    const foreign = { client_id: other.id, client_secret: other.secret ?? '' };
    for (const token of [first.access_token, first.refresh_token, first.id_token])
      assert.deepEqual(await stateOf(token, foreign), inactive);
    for (const token of ['guessed', first.id_token, `${first.access_token}x`, first.refresh_token.slice(1)])
      assert.deepEqual(await stateOf(token), inactive);
    const ofService = (await backend(await assertion())).body.access_token;
    const signed = { client_assertion: await assertion(), client_assertion_type: assertionType };
    assert.equal((await stateOf(ofService, signed)).scope, 'system/*.rs');
    const revoke = async (more: object) =>
      (await postForm(app, '/v1/oauth/revoke', { token: ofService, ...more })).status;
    const again = { ...signed, client_assertion: await assertion() };
    assert.deepEqual([await revoke(signed), await revoke(again)], [401, 200], 'an assertion serves once');
    const second = (await flow.refresh(first.refresh_token, { client_id: client.id })).body;
    assert.deepEqual(await stateOf(first.refresh_token), inactive);
    const tokens = [first.access_token, second.access_token];
    for (const ended of [false, true]) {
      for (const token of tokens)
        assert.deepEqual(
          [(await stateOf(token)).active, (await get(`${base}/Patient/p-0`, token)).status],
          [!ended, ended ? 401 : 200],
        );
      await postForm(app, '/v1/oauth/revoke', { client_id: client.id, token: second.refresh_token });
    }
    assert.deepEqual(await stateOf(second.refresh_token), inactive);
    for (const [form, status] of [
      [{ token: first.access_token }, 400],
      [{ client_id: client.id }, 400],
      [{ token: 'x', client_id: other.id, client_secret: 'wrong' }, 401],
      [{ token: 'x', client_id: 'nobody' }, 401],
    ] as const)
      assert.equal((await postForm(app, '/v1/oauth/introspect', form)).status, status);
  });

  test('the description names what is offered, and addresses that are whole', async () => {
    const reply = await app.call('GET', `${base}/.well-known/smart-configuration`.replace(app.address, ''), {
      ...{ key: undefined, account: undefined, headers: { accept: 'application/fhir+json' } },
    });
    assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
    for (const name of [
      'authorization_endpoint',
      'token_endpoint',
      'introspection_endpoint',
      'jwks_uri',
      'issuer',
    ])
      assert.match(reply.body[name], /^https?:\/\//, name);
    assert.deepEqual(reply.body.code_challenge_methods_supported, ['S256']);
    for (const name of ['launch-standalone', 'client-confidential-asymmetric', 'permission-v2'])
      assert.ok(reply.body.capabilities.includes(name), name);
    assert.deepEqual(reply.body.token_endpoint_auth_signing_alg_values_supported, ['RS384', 'ES384']);
    assert.ok(reply.body.scopes_supported.includes('user/*.rs'));
  });
});
