import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';

type Requirement = Record<string, string[]>;

describeApp('security schemes of the API document', (app) => {
  // biome-ignore lint/suspicious/noExplicitAny: a document of every shape
  let document: any;
  before(async () => {
    document = (await app.call('GET', '/docs/json')).body;
  });
  const namesAt = (method: string, path: string): string[] =>
    document.paths[path][method].security.flatMap((one: Requirement) => Object.keys(one));

  test('addresses and scopes of OAuth equal those of discovery', async () => {
    const { flows } = document.components.securitySchemes.oauth2;
    const discovery = (await app.call('GET', '/v1/.well-known/openid-configuration')).body;
    const at = (path: string) => new URL(path, app.address).href;
    assert.deepEqual(Object.keys(flows), ['authorizationCode', 'implicit', 'clientCredentials']);
    assert.equal(at(flows.authorizationCode.authorizationUrl), discovery.authorization_endpoint);
    assert.equal(at(flows.implicit.authorizationUrl), discovery.authorization_endpoint);
    for (const flow of ['authorizationCode', 'clientCredentials'])
      assert.equal(at(flows[flow].tokenUrl), discovery.token_endpoint);
    assert.equal(at(flows.authorizationCode.refreshUrl), discovery.token_endpoint);
    const described = ['authorizationCode', 'clientCredentials'].flatMap((flow) =>
      Object.keys(flows[flow].scopes),
    );
    assert.deepEqual(described, discovery.scopes_supported);
  });

  test('every named scheme is described, and every described one is named', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object));
    const named = operations.flatMap(({ security }) =>
      security.flatMap((one: Requirement) => Object.keys(one)),
    );
    assert.deepEqual([...new Set(named)].sort(), Object.keys(document.components.securitySchemes).sort());
  });

  test('a route names its credentials: all three, only sessions, only tokens, or none', async () => {
    assert.deepEqual(namesAt('get', '/v1/projects'), ['apiKey', 'oauth2', 'sessionCookie']);
    assert.deepEqual(namesAt('get', '/v1/security'), ['sessionCookie']);
    assert.deepEqual(namesAt('get', '/v1/sessions'), ['oauth2', 'sessionCookie']);
    assert.deepEqual(namesAt('get', '/v1/oauth/userinfo'), ['oauth2']);
    assert.deepEqual(document.paths['/v1/oauth/token'].post.security, [{ client: [] }, {}]);
    assert.deepEqual(namesAt('get', '/v1/oauth/authorize'), []);
    // Credentials that they do not name are refused.
    for (const path of ['/v1/security', '/v1/sessions', '/v1/oauth/userinfo'])
      assert.equal((await app.call('GET', path)).status, 403, path);
  });
});
