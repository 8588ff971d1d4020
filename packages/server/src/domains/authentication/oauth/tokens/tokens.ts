import { sign } from 'node:crypto';
import { promisify } from 'node:util';
import { jwtVerify } from 'jose';
import { newId } from '../../../../base/ids.ts';
import type { GrantsTable } from '../../../../platform/records/schema-sign-in.ts';
import type { Claims } from './claims.ts';
import type { TokenKey, TokenKeys } from './token-keys.ts';

/** Lifetime; clients refresh ten minutes early (docs/api/sign-in.md). */
export const accessTokenLifeMs = 3_600_000;

/**
 * Value of the `typ` header of access tokens (RFC 9068 §2.1), so that no other token of the service passes
 * for one.
 */
const accessTokenType = 'at+jwt';
const accessTokenAlgorithm = 'ES256';
const idTokenAlgorithm = 'RS256';

/** Verified content of an access token. */
interface AccessToken {
  grantId: string;
  userId: string;
  /** Scope of the token: a refresh may have narrowed that of the grant. */
  scope: string;
  /** Resource that it is for. */
  audience: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** Creation and verification of the JWTs of the authorization server. */
export class Tokens {
  readonly #keys: TokenKeys;
  readonly #issuer: () => string;

  /** `issuer` is `{base_url}`, known once the service listens. */
  constructor(keys: TokenKeys, issuer: () => string) {
    this.#keys = keys;
    this.#issuer = issuer;
  }

  /** Signs an access token (RFC 9068). */
  async signAccessToken(grant: GrantsTable, scope: string, lifeS = tokenLifeS(grant)): Promise<string> {
    const key = await this.#keys.signing(accessTokenAlgorithm);
    const now = Math.floor(Date.now() / 1000);
    return signJwt(key, accessTokenType, {
      iss: this.#issuer(),
      aud: grant.resource ?? this.#issuer(),
      sub: grant.user_id,
      client_id: grant.client_id,
      scope,
      grant: grant.id,
      jti: newId(),
      iat: now,
      exp: now + lifeS,
    });
  }

  /** Signs an id token (OpenID Connect Core §2); `claims` are those of its scopes. */
  async signIdToken(grant: GrantsTable, claims: Claims, withNonce: boolean): Promise<string> {
    const key = await this.#keys.signing(idTokenAlgorithm);
    const now = Math.floor(Date.now() / 1000);
    return signJwt(key, 'JWT', {
      ...claims,
      iss: this.#issuer(),
      aud: grant.client_id,
      sub: grant.user_id,
      iat: now,
      exp: now + tokenLifeS(grant),
      auth_time: Math.floor(grant.authenticated_at / 1000),
      amr: JSON.parse(grant.methods) as string[],
      ...(withNonce && grant.nonce !== null && { nonce: grant.nonce }),
      ...(grant.session_id !== null && { sid: grant.session_id }),
    });
  }

  /** Verifies an access token except its audience and the state of its grant; `undefined` when it is forged or expired. */
  async readAccessToken(token: string): Promise<AccessToken | undefined> {
    const payload = await this.#verify(token, accessTokenAlgorithm, accessTokenType, false);
    const { sub, exp, aud, grant, scope } = payload ?? {};
    if (sub === undefined || exp === undefined || typeof aud !== 'string') return undefined;
    if (typeof grant !== 'string' || typeof scope !== 'string') return undefined;
    return { grantId: grant, userId: sub, scope, audience: aud, expiresAt: exp * 1000 };
  }

  /**
   * Returns subject and audience of an id token, also an expired one: a hint at sign-out and sign-in
   * (RP-Initiated Logout §2).
   */
  async readIdTokenHint(
    token: string,
  ): Promise<{ userId: string; clientId: string; sessionId: string | undefined } | undefined> {
    const payload = await this.#verify(token, idTokenAlgorithm, 'JWT', true);
    const { sub, aud, sid } = payload ?? {};
    if (typeof sub !== 'string' || typeof aud !== 'string') return undefined;
    return { userId: sub, clientId: aud, sessionId: typeof sid === 'string' ? sid : undefined };
  }

  async #verify(token: string, algorithm: string, typ: string, isHint: boolean) {
    try {
      const { payload } = await jwtVerify(
        token,
        async ({ kid }) => {
          const key = kid === undefined ? undefined : await this.#keys.find(kid);
          if (!key || key.algorithm !== algorithm) throw new UnknownKey();
          return key.publicKey;
        },
        {
          algorithms: [algorithm],
          issuer: this.#issuer(),
          typ,
          ...(isHint ? { currentDate: new Date(0) } : { requiredClaims: ['aud', 'jti', 'sub', 'exp'] }),
        },
      );
      return payload;
    } catch (error) {
      if (error instanceof UnknownKey || isTokenError(error)) return undefined;
      throw error;
    }
  }
}

/** Returns the lifetime of a new token, at most that of its grant. */
export function tokenLifeS({ ends_at }: Pick<GrantsTable, 'ends_at'>): number {
  const leftMs = (ends_at ?? Number.POSITIVE_INFINITY) - Date.now();
  return Math.max(0, Math.floor(Math.min(accessTokenLifeMs, leftMs) / 1000));
}

class UnknownKey extends Error {}

function isTokenError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J');
}

const signInThread = promisify(sign);

/**
 * Signs a JWT (RFC 7519, compact form of RFC 7515 §7.1). jose verifies; node:crypto signs 80 µs faster than
 * WebCrypto, a third of a refresh (docs/performance.md). RSA takes 0.25 ms and runs beside the event loop.
 */
async function signJwt(key: TokenKey, type: string, claims: object): Promise<string> {
  const header = { alg: key.algorithm, kid: key.id, typ: type };
  const text = `${encode(header)}.${encode(claims)}`;
  const data = Buffer.from(text);
  const signature =
    key.algorithm === 'ES256'
      ? // RFC 7518 §3.4: both numbers concatenated, not in DER.
        sign('sha256', data, { key: key.privateKey, dsaEncoding: 'ieee-p1363' })
      : await signInThread('sha256', data, key.privateKey);
  return `${text}.${signature.toString('base64url')}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
