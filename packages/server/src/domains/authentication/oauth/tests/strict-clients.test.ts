/** Flows run by two strict client libraries of third parties. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { describeApp } from '../../../../../../../test/support/app.ts';
import {
  authorize,
  callback,
  firstUser,
  makeClient,
  signedIn,
} from '../../sign-in/tests/signed-in.fixture.ts';

describeApp('strict clients', (app) => {
  let cookie = '';
  let user = '';
  before(async () => {
    user = await firstUser(app);
    cookie = await signedIn(app, user);
  });
  const follow = async (url: URL): Promise<URL> => {
    const { location, text } = await authorize(app, Object.fromEntries(url.searchParams), cookie);
    assert.ok(location, text);
    return location;
  };

  for (const kind of ['public', 'confidential'] as const) {
    test(`openid-client runs code with PKCE, refresh, userinfo and revocation as a ${kind} client`, async () => {
      const client = await makeClient(app, { generateSecret: kind === 'confidential' });
      const config = await openid.discovery(
        new URL(`${app.address}/v1`),
        client.id,
        client.secret,
        undefined,
        {
          execute: [openid.allowInsecureRequests],
        },
      );
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const expected = {
        expectedState: openid.randomState(),
        expectedNonce: openid.randomNonce(),
        pkceCodeVerifier,
      };
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: callback,
        scope: 'openid email profile',
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expected.expectedState,
        nonce: expected.expectedNonce,
        max_age: '3600',
      });
      const tokens = await openid.authorizationCodeGrant(config, await follow(url), {
        ...expected,
        maxAge: 3600,
        idTokenExpected: true,
      });
      assert.equal(tokens.claims()?.sub, user);
      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
      assert.equal(refreshed.claims()?.sub, user);
      const info = await openid.fetchUserInfo(config, refreshed.access_token, user);
      assert.equal(info.email, 'admin@localhost');
      await openid.tokenRevocation(config, refreshed.refresh_token ?? '');
      await assert.rejects(openid.refreshTokenGrant(config, refreshed.refresh_token ?? ''), {
        error: 'invalid_grant',
      });
      await assert.rejects(openid.fetchUserInfo(config, refreshed.access_token, user));
    });
  }

  for (const algorithm of ['oidc', 'oauth2'] as const)
    test(`openid-client discovers the service by its issuer, as ${algorithm} defines`, async () => {
      const options = { algorithm, execute: [openid.allowInsecureRequests] };
      const found = await openid.discovery(new URL(`${app.address}/v1`), 'x', 'y', undefined, options);
      assert.equal(found.serverMetadata().issuer, `${app.address}/v1`);
      const name = algorithm === 'oidc' ? 'openid-configuration' : 'oauth-authorization-server';
      const documents = [`/v1/.well-known/${name}`, `/.well-known/${name}`, `/.well-known/${name}/v1`].map(
        async (path) => (await fetch(`${app.address}${path}`)).text(),
      );
      assert.equal(new Set(await Promise.all(documents)).size, 1);
    });

  test('openid-client runs client_credentials', async () => {
    const client = await makeClient(app, {
      generateSecret: true,
      allowedOAuthFlows: ['client_credentials'],
      callbackUrls: [],
    });
    const config = await openid.discovery(new URL(`${app.address}/v1`), client.id, client.secret, undefined, {
      execute: [openid.allowInsecureRequests],
    });
    const tokens = await openid.clientCredentialsGrant(config);
    assert.equal(tokens.token_type, 'bearer');
    assert.equal(tokens.refresh_token, undefined);
  });

  // asvs: 9.2.4
  test('oauth4webapi validates discovery, id token signature, access token (RFC 9068) and errors', async () => {
    const issuer = new URL(`${app.address}/v1`);
    const insecure = { [oauth.allowInsecureRequests]: true };
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, insecure),
    );
    const made = await makeClient(app, { generateSecret: true });
    const client: oauth.Client = { client_id: made.id };
    const authentication = oauth.ClientSecretPost(made.secret ?? '');
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const nonce = oauth.generateRandomNonce();
    const url = new URL(server.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: made.id,
      redirect_uri: callback,
      scope: 'openid',
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();
    const parameters = oauth.validateAuthResponse(server, client, await follow(url), state);
    const exchange = () =>
      oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        parameters,
        callback,
        verifier,
        insecure,
      );
    const response = await exchange();
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(server, response, insecure);
    assert.equal(oauth.getValidatedIdTokenClaims(tokens)?.sub, user);
    const request = new Request(`${app.address}/v1/accounts`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    const claims = await oauth.validateJwtAccessToken(server, request, server.issuer, insecure);
    assert.equal(claims.client_id, made.id);
    const again = await exchange();
    await assert.rejects(
      oauth.processAuthorizationCodeResponse(server, client, again, { expectedNonce: nonce }),
      (error) => error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant',
    );
  });

  test('oauth4webapi recognises the errors of the authorization endpoint, with their issuer', async () => {
    const issuer = new URL(`${app.address}/v1`);
    const insecure = { [oauth.allowInsecureRequests]: true };
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, insecure),
    );
    const made = await makeClient(app);
    const { location } = await authorize(
      app,
      { response_type: 'code', client_id: made.id, redirect_uri: callback, state: 'a-state' },
      cookie,
    );
    assert.throws(
      () =>
        oauth.validateAuthResponse(server, { client_id: made.id }, location ?? new URL(callback), 'a-state'),
      (error) => error instanceof oauth.AuthorizationResponseError && error.error === 'invalid_request',
    );
  });
});
