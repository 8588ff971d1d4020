import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';

const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Verification of signed assertions by a token endpoint (SMART App Launch 2.2, "Client Authentication: Asymmetric"). */
export class Assertions {
  /** Registered JWKS URL of the client. */
  jwksUrl = '';
  /** Assertions as they arrived. */
  readonly seen: string[] = [];
  /** The last reason why one was refused. */
  refused: unknown;
  readonly #ids = new Set<string>();

  /** Verifies a request by every check that the standard requires. */
  async accepts(form: URLSearchParams, client: string, tokenUrl: string): Promise<boolean> {
    const assertion = form.get('client_assertion') ?? '';
    this.seen.push(assertion);
    try {
      if (form.get('client_assertion_type') !== type) throw new Error('another type');
      const { alg, kid, typ, ...rest } = decodeProtectedHeader(assertion);
      if (typ !== 'JWT' || kid === undefined || Object.keys(rest).length > 0) throw new Error('header');
      const { payload } = await jwtVerify(assertion, createLocalJWKSet(await this.#fetch()), {
        algorithms: ['RS384', 'ES384'],
        issuer: client,
        subject: client,
        audience: tokenUrl,
        // `iat` as Keycloak 26 requires it, which otherwise refuses an `exp` of more than a minute away.
        requiredClaims: ['exp', 'iat', 'jti'],
      });
      if ((payload.iat ?? 0) > Date.now() / 1000) throw new Error('it is of the future');
      if ((payload.exp ?? 0) > Date.now() / 1000 + 300) throw new Error('it is good for too long');
      if (this.#ids.has(String(payload.jti))) throw new Error('it was sent before');
      this.#ids.add(String(payload.jti));
      return true;
    } catch (error) {
      this.refused = error;
      return false;
    }
  }

  async #fetch(): Promise<JSONWebKeySet> {
    return (await (await fetch(this.jwksUrl)).json()) as JSONWebKeySet;
  }
}
