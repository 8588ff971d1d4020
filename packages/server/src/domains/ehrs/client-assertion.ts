import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { SigningKey } from './signing-key.ts';

/** Half of the five minutes that it may be good for at most: the clocks of both sides may be apart as much either way. */
export const assertionLifeS = 150;
/** So far `iat` is set back: of a clock that is a little ahead it would lie in the future of the system. */
const issuedAgoS = 10;
const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * The fields of a token request that prove who a client is with its private key (SMART App Launch 2.2, "Client Authentication:
 * Asymmetric"; RFC 7523 §2.2). For one request: each `jti` is accepted once.
 *
 * There is no `jku`: it has to be the address that was registered, and where the key itself was registered any `jku` is wrong. A
 * system that is sent none looks at what was registered.
 */
export async function clientAssertion(
  { privateKey, publicJwk }: SigningKey,
  clientId: string,
  tokenUrl: string,
): Promise<Record<string, string>> {
  const now = Math.floor(Date.now() / 1000);
  const assertion = await new SignJWT()
    .setProtectedHeader({ alg: publicJwk.alg, kid: publicJwk.kid, typ: 'JWT' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(tokenUrl)
    .setJti(randomUUID())
    // Optional in RFC 7523 §3, but systems refuse one without it that is good for more than a minute (Keycloak 26).
    .setIssuedAt(now - issuedAgoS)
    .setExpirationTime(now + assertionLifeS)
    .sign(privateKey);
  return { client_assertion_type: type, client_assertion: assertion };
}
