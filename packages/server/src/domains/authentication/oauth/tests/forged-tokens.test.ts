/** Forged tokens, and real ones in the wrong place. */
import assert from 'node:assert/strict';
import { createPublicKey, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { before, test } from 'node:test';
import {
  decodeJwt,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { openSecrets } from '../../../../platform/secrets/index.ts';
import { authorize, callback, pkce } from '../../sign-in/tests/signed-in.fixture.ts';
import { TokenFlow } from './token-flow.fixture.ts';

type Tokens = Record<'access_token' | 'id_token' | 'refresh_token', string>;
type Signer = Parameters<SignJWT['sign']>[0];

describeApp('forged and misplaced tokens', (app) => {
  let flow: TokenFlow;
  let tokens: Tokens;
  let jwks: (JWK & { kid: string })[];
  before(async () => {
    flow = await TokenFlow.open(app);
    tokens = await flow.signIn({ scope: 'openid email', nonce: 'n' });
    jwks = (await app.call('GET', '/v1/oauth/jwks')).body.keys;
  });

  const headerOf = (token: string): JWTHeaderParameters =>
    JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const keyOf = (alg: string) => jwks.find((key) => key.alg === alg) as JWK & { kid: string };

  /** Signs the claims of a real access token by a foreign signer. */
  async function signed(signer: Signer, header: object, claims: object = {}): Promise<string> {
    const said = { ...decodeJwt(tokens.access_token), ...claims };
    return new SignJWT(said).setProtectedHeader({ ...headerOf(tokens.access_token), ...header }).sign(signer);
  }

  test('the real tokens work', async () => {
    assert.equal(await flow.works(tokens.access_token), 200);
    assert.equal(headerOf(tokens.access_token).typ, 'at+jwt');
  });

  // asvs: 9.1.1, 9.1.2
  test('tokens without signature, of another key, or with a public key as password are refused', async () => {
    const [head = '', body = '', signature = ''] = tokens.access_token.split('.');
    const { kid } = keyOf('ES256');
    const pem = createPublicKey({ key: keyOf('ES256') as never, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    });
    const foreign = await generateKeyPair('ES256', { extractable: true });
    const forged = [
      ...['none', 'None', 'NONE', ''].map((alg) => `${encoded({ alg, kid, typ: 'at+jwt' })}.${body}.`),
      `${encoded({ alg: 'none', kid, typ: 'at+jwt' })}.${body}.${signature}`,
      `${head}.${body}.`,
      `${head}.${encoded({ ...decodeJwt(tokens.access_token), sub: randomUUID() })}.${signature}`,
      await signed(new TextEncoder().encode(String(pem)), { alg: 'HS256' }),
      await signed(new TextEncoder().encode(JSON.stringify(keyOf('ES256'))), { alg: 'HS256' }),
      await signed(foreign.privateKey, {}),
      await signed(foreign.privateKey, { jwk: await exportJWK(foreign.publicKey) }),
      await signed(foreign.privateKey, {
        jku: 'https://evil.example/jwks',
        x5u: 'https://evil.example/cert',
      }),
      `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`,
    ];
    for (const token of forged) assert.equal(await flow.works(token), 401, token);
  });

  // asvs: 9.1.3, 11.6.1
  test('a kid of an unknown key or of another kind of key is refused', async () => {
    const foreign = await generateKeyPair('ES256');
    for (const kid of [
      '',
      '../../dev/null',
      "' or 1=1 --",
      '%00',
      '__proto__',
      'constructor',
      keyOf('RS256').kid,
    ])
      assert.equal(await flow.works(await signed(foreign.privateKey, { kid })), 401, kid);
    const [, body, signature] = tokens.access_token.split('.');
    for (const header of [{ kid: undefined }, { kid: 7 }, { kid: ['x'] }, { kid: null }]) {
      const head = encoded({ ...headerOf(tokens.access_token), ...header });
      assert.equal(await flow.works(`${head}.${body}.${signature}`), 401, JSON.stringify(header));
    }
  });

  // asvs: 9.2.1, 9.2.2, 9.2.3, 10.3.1
  test('a token of our own key with another issuer, audience, type, time or grant is refused', async () => {
    const row = await app.people.records.read
      .selectFrom('token_keys')
      .selectAll()
      .where('id', '=', keyOf('ES256').kid)
      .executeTakeFirstOrThrow();
    const secrets = openSecrets({ path: join(app.folder, 'secrets', 'master.key'), create: false });
    const jwk = JSON.parse(secrets.open(row.private_key_sealed, `token-key:${row.id}`)) as JWK;
    const own = await importJWK(jwk, 'ES256');
    assert.equal(await flow.works(await signed(own, {})), 200, 'this is our own key');
    const past = Math.floor(Date.now() / 1000) - 1;
    const wrong: [object, object][] = [
      [{}, { iss: 'https://evil.example/v1' }],
      [{}, { iss: undefined }],
      [{}, { aud: 'https://evil.example/v1' }],
      [{}, { aud: flow.client.id }],
      [{}, { aud: undefined }],
      [{}, { exp: past }],
      [{}, { exp: undefined }],
      [{}, { nbf: past + 3600 }],
      [{}, { sub: randomUUID() }],
      [{}, { grant: randomUUID() }],
      [{}, { grant: undefined }],
      [{}, { grant: ['x'] }],
      [{}, { jti: undefined }],
      [{ typ: 'JWT' }, {}],
      [{ typ: undefined }, {}],
      [{ typ: 'api-key+jwt' }, {}],
    ];
    for (const [header, claims] of wrong)
      assert.equal(
        await flow.works(await signed(own, header, claims)),
        401,
        JSON.stringify([header, claims]),
      );
  });

  // asvs: 9.2.2
  test('an id token, a refresh token, a session and a code do not work as access tokens', async () => {
    const session = flow.cookie.split('=')[1] ?? '';
    const { code } = await flow.ask();
    for (const token of [tokens.id_token, tokens.refresh_token, session, code])
      assert.equal(await flow.works(token), 401, token);
    for (const cookie of [tokens.access_token, tokens.id_token, app.key]) {
      const headers = { cookie: `ploidy-session=${cookie}` };
      assert.equal((await app.call('GET', '/v1/accounts', { key: undefined, headers })).status, 401);
    }
  });

  test('an access token, an API key and an id token of another application are no hints', async () => {
    const other = await TokenFlow.open(app);
    const foreign = (await other.signIn({ scope: 'openid' })).id_token;
    const { challenge } = pkce();
    const request = {
      response_type: 'code',
      client_id: flow.client.id,
      redirect_uri: callback,
      ...challenge,
    };
    for (const hint of [tokens.access_token, app.key, tokens.refresh_token, foreign, `${tokens.id_token}x`]) {
      const { location } = await authorize(app, { ...request, id_token_hint: hint }, flow.cookie);
      assert.equal(location?.searchParams.get('error'), 'invalid_request', hint);
      assert.equal(location?.searchParams.get('code'), null);
    }
  });

  test('codes and refresh tokens of another application are refused', async () => {
    const other = await TokenFlow.open(app);
    const { code, verifier } = await other.ask();
    assert.equal((await flow.exchange(flow.client.id, code, verifier)).body.error, 'invalid_grant');
    const { refresh_token } = await other.signIn();
    assert.equal((await flow.refresh(refresh_token)).body.error, 'invalid_grant');
    assert.equal((await other.refresh(refresh_token)).status, 200, 'and it is not burnt');
  });
});
