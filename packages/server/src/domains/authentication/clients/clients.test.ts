import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import { tokenHash } from '../../../platform/secrets/secret-token.ts';
import { Callers } from '../../identity/callers/index.ts';

const callbackUrls = ['https://app.example/callback'];

describeApp('clients', (app) => {
  const make = async (body: object) => {
    const reply = await app.call('POST', '/v1/clients', { body: { name: 'Portal', callbackUrls, ...body } });
    assert.equal(reply.status, 201, reply.text);
    return reply.body;
  };

  test('a new client has the flow code, all scopes and passwords', async () => {
    const client = await make({});
    const { id, ...rest } = client;
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(rest, {
      name: 'Portal',
      hasSecret: false,
      generateSecret: false,
      callbackUrls,
      logoutUrls: [],
      identityProviders: ['PASSWORD'],
      allowedOAuthFlows: ['code'],
      allowedScopes: ['openid', 'email', 'profile', 'phone'],
      refreshTokens: 'rotating',
      firstParty: false,
    });
    assert.deepEqual((await app.call('GET', `/v1/clients/${id}`)).body, client);
    const listed = (await app.call('GET', '/v1/clients')).body.clients;
    assert.deepEqual(
      listed.find((one: { id: string }) => one.id === id),
      client,
    );
  });

  test('a secret is shown once and stored only as a hash', async () => {
    const { secret, ...client } = await make({ generateSecret: true });
    assert.deepEqual([client.generateSecret, client.hasSecret], [true, true]);
    assert.match(secret, /^[\w-]{43}$/);
    const read = (await app.call('GET', `/v1/clients/${client.id}`)).body;
    assert.deepEqual(read, { ...client, generateSecret: false });
    const row = await app.people.records.read
      .selectFrom('clients')
      .selectAll()
      .where('id', '=', client.id)
      .executeTakeFirstOrThrow();
    assert.equal(row.secret_hash, tokenHash(secret));
    assert.ok(!JSON.stringify(row).includes(secret));
  });

  test('PUT changes the given fields, keeps the rest, and makes a new secret on request', async () => {
    const { secret, ...made } = await make({ generateSecret: true });
    const path = `/v1/clients/${made.id}`;
    const renamed = await app.call('PUT', path, { body: { name: 'Other', generateSecret: false } });
    assert.deepEqual(renamed.body, { ...made, name: 'Other', generateSecret: false });
    const rotated = await app.call('PUT', path, { body: { generateSecret: true } });
    assert.equal(rotated.status, 200);
    assert.notEqual(rotated.body.secret, secret);
    assert.equal(rotated.body.generateSecret, true);
    const flows = { allowedOAuthFlows: ['code', 'implicit', 'client_credentials'] };
    assert.deepEqual((await app.call('PUT', path, { body: flows })).body, {
      ...made,
      name: 'Other',
      generateSecret: false,
      ...flows,
    });
  });

  test('a client that is read and written back keeps its secret', async () => {
    const { id, secret } = await make({ generateSecret: true });
    const hash = async () => {
      const clients = app.people.records.read.selectFrom('clients').select('secret_hash');
      return (await clients.where('id', '=', id).executeTakeFirstOrThrow()).secret_hash;
    };
    const read = (await app.call('GET', `/v1/clients/${id}`)).body;
    const listed = (await app.call('GET', '/v1/clients')).body.clients;
    assert.deepEqual(
      listed.find((one: { id: string }) => one.id === id),
      read,
    );
    const written = await app.call('PUT', `/v1/clients/${id}`, { body: { ...read, name: 'Other' } });
    assert.equal(written.status, 200, written.text);
    assert.deepEqual(written.body, { ...read, name: 'Other' });
    assert.equal(await hash(), tokenHash(secret));
  });

  test('concurrent changes do not overwrite each other', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await make({});
      const changes: object[] = [
        { name: 'Other' },
        { logoutUrls: ['https://app.example/out'] },
        { allowedOAuthFlows: ['code', 'implicit'] },
        { allowedScopes: ['openid'] },
      ];
      await Promise.all(changes.map((body) => app.call('PUT', `/v1/clients/${id}`, { body })));
      const changed = (await app.call('GET', `/v1/clients/${id}`)).body;
      assert.deepEqual(changed, Object.assign({}, changed, ...changes));
    }
  });

  test('all errors of a client are reported at once, each with its path', async () => {
    const body = {
      name: 'Portal',
      callbackUrls: [...callbackUrls, 'http://app.example/'],
      logoutUrls: ['javascript:alert(1)'],
      identityProviders: ['SAML'],
      allowedOAuthFlows: ['code', 'client_credentials'],
    };
    const reply = await app.call('POST', '/v1/clients', { body });
    assert.equal(reply.status, 400);
    assert.deepEqual(
      reply.body.details.map((detail: { path: string }) => detail.path),
      [
        'body/callbackUrls/1',
        'body/logoutUrls/0',
        'body/customIdentityProvider/metadataUrl',
        'body/generateSecret',
      ],
    );
    const none = await app.call('POST', '/v1/clients', { body: { name: 'Portal' } });
    assert.equal(none.body.details[0].path, 'body/callbackUrls');
    const unknown = {
      name: 'Portal',
      callbackUrls,
      identityProviders: ['FACEBOOK'],
      allowedOAuthFlows: ['password'],
    };
    assert.equal((await app.call('POST', '/v1/clients', { body: unknown })).status, 400);
  });

  // asvs: 2.2.3
  test('a client that only acts for itself needs a secret and no callback', async () => {
    const body = { name: 'Robot', allowedOAuthFlows: ['client_credentials'], generateSecret: true };
    assert.equal((await app.call('POST', '/v1/clients', { body })).status, 201);
  });

  test('the user of a client has the name of the client, also after a change', async () => {
    const allowedOAuthFlows = ['client_credentials'];
    const { id, secret } = await make({ name: 'Robot', allowedOAuthFlows, generateSecret: true });
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
    const token = await fetch(`${app.address}/v1/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    const { access_token: key } = (await token.json()) as { access_token: string };
    const shown = async () => (await app.call('GET', '/v1/user', { key })).body.profile.name;
    assert.equal(await shown(), 'Robot');
    await app.call('PUT', `/v1/clients/${id}`, { body: { name: 'Android' } });
    assert.equal(await shown(), 'Android');
    await app.call('PUT', `/v1/clients/${id}`, { body: { name: 'Person', allowedOAuthFlows: ['code'] } });
    assert.equal(await shown(), 'Person');
  });

  test('the work of a client counts for the user who made it', async () => {
    const { records } = app.people;
    const maker = await app.people.member(app.account, ['accountAdmin']);
    const body = { name: 'Robot', allowedOAuthFlows: ['client_credentials'], generateSecret: true };
    const { id } = (await app.call('POST', '/v1/clients', { key: maker.key, body })).body;
    const caller = await new Callers(records).resolve({ userId: id, via: 'test', keyAccount: undefined });
    assert.deepEqual([caller?.userId, caller?.person], [id, maker.userId]);
  });

  test('an own identity provider is stored with its attribute mapping', async () => {
    const customIdentityProvider = {
      attributeMapping: ['mail=email', 'urn:oid:2.5.4.42=givenName', 'email'],
      metadataUrl: 'https://idp.example/metadata',
    };
    const client = await make({ identityProviders: ['PASSWORD', 'SAML'], customIdentityProvider });
    assert.deepEqual(client.customIdentityProvider, customIdentityProvider);
    const wrong = { ...customIdentityProvider, attributeMapping: ['mail=shoeSize'] };
    const reply = await app.call('PUT', `/v1/clients/${client.id}`, {
      body: { customIdentityProvider: wrong },
    });
    assert.equal(reply.status, 400);
    assert.equal(reply.body.details[0].path, 'body/customIdentityProvider/attributeMapping/0');
  });

  test('null removes the identity provider, unless the client offers SAML', async () => {
    const customIdentityProvider = { attributeMapping: [], metadataUrl: 'https://idp.example/metadata' };
    const { id } = await make({ identityProviders: ['SAML'], customIdentityProvider });
    const put = (body: object) => app.call('PUT', `/v1/clients/${id}`, { body });
    const refused = await put({ customIdentityProvider: null });
    assert.deepEqual(
      [refused.status, refused.body.details?.[0].path],
      [400, 'body/customIdentityProvider/metadataUrl'],
    );
    const cleared = await put({ identityProviders: ['PASSWORD'], customIdentityProvider: null });
    assert.equal(cleared.status, 200, cleared.text);
    assert.ok(!('customIdentityProvider' in cleared.body));
    assert.deepEqual((await app.call('GET', `/v1/clients/${id}`)).body, cleared.body);
  });

  test('a client offers at least one sign-in method', async () => {
    const { id } = await make({});
    const none = { identityProviders: [] };
    for (const [method, path, body] of [
      ['POST', '/v1/clients', { name: 'Portal', callbackUrls, ...none }],
      ['PUT', `/v1/clients/${id}`, none],
    ] as const) {
      const { status, body: refused } = await app.call(method, path, { body });
      assert.deepEqual([status, refused.details?.[0].path], [400, 'body/identityProviders']);
    }
  });

  test('a deleted client is gone, and deleting it again is 404', async () => {
    const { id } = await make({});
    assert.equal((await app.call('DELETE', `/v1/clients/${id}`)).status, 204);
    assert.equal((await app.call('DELETE', `/v1/clients/${id}`)).status, 404);
    assert.equal((await app.call('GET', `/v1/clients/${id}`)).status, 404);
    assert.equal((await app.call('PUT', `/v1/clients/${id}`, { body: { name: 'x' } })).status, 404);
  });
});
